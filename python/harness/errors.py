"""The program's refusals as exceptions. The text of each is the sentence that the program said."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Type, cast


class HarnessError(Exception):
    """What the program refused; `next` says what it advises to do."""

    def __init__(self, sentence: str, next: Optional[str] = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.next = next


class BadInput(HarnessError):
    """An unknown name, a bad value, an error in a script or a manifest (exit status 2)."""


class EnvironmentLacks(HarnessError):
    """A device, a compiler, the program itself or a store that can be written is missing (exit status 3)."""


class BudgetSpent(HarnessError):
    """The session has no time or money left: nothing more is evaluated."""


class Cancelled(HarnessError):
    """It was stopped before it had an answer; what it spent stays spent (exit status 130)."""


class ProgramEnded(HarnessError):
    """The program ended before it had answered."""


_BY_KIND: Mapping[str, Type[HarnessError]] = {
    "bad_input": BadInput, "environment": EnvironmentLacks, "budget": BudgetSpent, "interrupted": Cancelled,
    "lost": ProgramEnded,
}
_BY_STATUS: Mapping[int, Type[HarnessError]] = {2: BadInput, 3: EnvironmentLacks, 130: Cancelled}


def fields_of(value: object) -> Mapping[str, Any]:
    """An object of the program's JSON; empty where it is none."""
    return cast(Mapping[str, Any], value) if isinstance(value, dict) else {}


def of_answer(answer: Mapping[str, object]) -> HarnessError:
    """The exception for an answer whose `ok` is false."""
    fields = fields_of(answer.get("error"))
    kind, message = str(fields.get("kind", "")), str(fields.get("message", "the program gave no reason"))
    advice = answer.get("next")
    return _BY_KIND.get(kind, HarnessError)(message, str(advice) if advice else None)


def of_status(status: int, said: str) -> HarnessError:
    """The exception for a command that ended with `status` and said `said` on stderr."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    own = [line[len("harness: "):] for line in lines if line.startswith("harness: ")]
    sentence = own[-1] if own else lines[-1] if lines else f"harness ended with status {status} and said nothing"
    return _BY_STATUS.get(status, ProgramEnded if status < 0 else HarnessError)(sentence)
