"""What the judge says of one candidate on one workload."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, cast

from .errors import fields_of

Interval = Tuple[float, float]


@dataclass(frozen=True)
class FirstBad:
    """The first wrong element. Of inputs that a candidate must not know only `argument` is told."""

    argument: str
    index: Any = None
    expected: Any = None
    got: Any = None


@dataclass(frozen=True)
class Failure:
    """Why a candidate did not pass: the stage, the class of the error, a sentence, and the compiler's first errors."""

    stage: str
    kind: str
    message: str
    first_bad: Optional[FirstBad] = None
    log: Optional[str] = None


@dataclass(frozen=True)
class Gate:
    """One check of correctness. `passed` is None where it could not be made; `detail` says why, or what was found."""

    name: str
    passed: Optional[bool]
    detail: str


@dataclass(frozen=True)
class Verdict:
    """An evaluation that ended. `raw` is the program's own answer."""

    kernel: str
    variant: str
    workload: str
    config: Mapping[str, Any]
    outcome: str  # passed, wrong_answer, compile_error, ... as in docs/record.md
    iteration: Optional[int]  # its number in the record
    time_ns: Optional[float]
    time_ci95_ns: Optional[Interval]
    time_kind: Optional[str]  # measured, predicted or emulated
    baseline_ns: Optional[float]
    speedup: Optional[float]  # over the kernel's baseline, timed beside it
    speedup_ci95: Optional[Interval]
    verdict: Optional[str]  # faster, slower or same
    is_best: bool  # of this session on this workload
    gates_passed: int
    gates_failed: Tuple[str, ...]
    failure: Optional[Failure]
    diagnosis: Optional[str]  # what bounds it and what to try, where the program knows it without further work
    fingerprint: Optional[str]  # the same mistake has the same one
    cost_s: Optional[float]  # seconds of this machine
    recorded: bool  # answered from the record: it cost nothing
    next: str  # what the program advises
    raw: Mapping[str, Any] = field(repr=False, compare=False)

    @property
    def passed(self) -> bool:
        return self.outcome == "passed"

    @property
    def score(self) -> float:
        """The speedup where all gates passed, else 0: what an optimizer may maximize."""
        return float(self.speedup or (1.0 if self.time_ns else 0.0)) if self.passed else 0.0

    def feedback(self) -> str:
        """The verdict in a few lines for whoever writes the next candidate. It has no seed, tolerance or hidden element."""
        lines = [f"outcome: {self.outcome}"]
        if self.speedup is not None:
            lines.append(f"speedup over the baseline: {self.speedup:.3g}x ({self.time_kind})")
        if self.gates_failed:
            lines.append("failed: " + ", ".join(self.gates_failed))
        if self.failure is not None:
            lines.append(self.failure.message)
            bad = self.failure.first_bad
            if bad is not None and bad.index is not None:
                lines.append(f"first wrong element: {bad.argument}{bad.index}: expected {bad.expected}, got {bad.got}")
            if self.failure.log:
                lines.append(self.failure.log)
        if self.next:
            lines.append("next: " + self.next)
        return "\n".join(lines)


def _interval(value: Any) -> Optional[Interval]:
    ends = cast(Sequence[float], value) if isinstance(value, list) else ()
    return (float(ends[0]), float(ends[1])) if len(ends) == 2 else None


def _failure(answer: Mapping[str, Any]) -> Optional[Failure]:
    error = fields_of(answer.get("error_of_candidate"))
    if not error:
        return None
    bad = fields_of(error.get("first_bad"))
    first = FirstBad(str(bad.get("argument", "")), bad.get("index"), bad.get("expected"), bad.get("got")) if bad else None
    return Failure(str(error.get("stage", "")), str(error.get("class", "")), str(error.get("message", "")), first,
                   error.get("log"))


def verdict_of(answer: Mapping[str, Any]) -> Verdict:
    """From the answer of the program's tool `evaluate` or `job`. Times have their kind in their key."""
    kind, before = next(((kind, before) for kind, before in
                         (("measured", ""), ("predicted", "predicted_"), ("emulated", "emulated_"))
                         if (before or "time_") + "ns" in answer), (None, ""))
    own = before or "time_"
    return Verdict(
        kernel=str(answer.get("kernel", "")), variant=str(answer.get("variant", "")),
        workload=str(answer.get("workload", "")), config=dict(answer.get("config") or {}),
        outcome=str(answer.get("outcome", "")), iteration=answer.get("iteration"),
        time_ns=answer.get(own + "ns"), time_ci95_ns=_interval(answer.get(own + "ci95_ns")), time_kind=kind,
        baseline_ns=answer.get(before + "baseline_ns"), speedup=answer.get("speedup"),
        speedup_ci95=_interval(answer.get("speedup_ci95")), verdict=answer.get("verdict"),
        is_best=bool(answer.get("is_best", False)), gates_passed=int(answer.get("gates_passed", 0)),
        gates_failed=tuple(answer.get("gates_failed", ())), failure=_failure(answer),
        diagnosis=answer.get("digest"), fingerprint=answer.get("fingerprint"), cost_s=answer.get("cost_s"),
        recorded=bool(answer.get("recorded", False)), next=str(answer.get("next", "")), raw=answer)


class Rows(List[Dict[str, Any]]):
    """Rows of a query, one dict each."""

    def frame(self) -> Any:
        """As a pandas DataFrame; raises ImportError where pandas is not installed."""
        import importlib

        return importlib.import_module("pandas").DataFrame(list(self))
