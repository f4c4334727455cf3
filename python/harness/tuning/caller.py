"""Answers the program's questions: `harness callable --stdio` decides, this compiles, judges and times."""

from __future__ import annotations

import collections
import contextlib
import inspect
import itertools
import json
import math
import re
import signal
import subprocess
import tempfile
import threading
import time
import traceback
from dataclasses import dataclass, field
from typing import IO, Any, Callable, Dict, Generator, Iterator, List, Mapping, Optional, Sequence, Union, cast

from .. import errors
from ..program import Commands, find_program
from . import judging, timing
from .judging import Evidence, Json, Refused
from .kinds import kind_of
from .subject import Function, Subject

Compile = Callable[[Dict[str, Any]], Function]
_MOST_POINTS, _KEPT_FUNCTIONS = 1_000_000, 8


@dataclass(frozen=True)
class Tuned:
    """What was found. It can be called as the function that won: the compiled one, or the baseline where nothing was faster."""

    config: Optional[Mapping[str, Any]]  # None: the baseline won
    function: Function = field(repr=False)
    time_ns: Optional[float]
    speedup: Optional[float]  # over the baseline, timed in turns with it
    confirmed: bool  # timed again, on fresh inputs, when the search had ended
    campaign: int  # its number in the record
    summary: Mapping[str, Any] = field(repr=False)  # the event campaign_finished

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.function(*arguments, **named)


class TimedOut(Exception):
    """A call took longer than its deadline."""


def tune(compile_fn: Compile, baseline_fn: Function, args: Union[Sequence[Any], Callable[[], Sequence[Any]]], *,
         space: Mapping[str, Sequence[Any]], budget: Optional[str] = "60s",
         constraint: Optional[Callable[[Dict[str, Any]], bool]] = None, reference_fn: Optional[Function] = None,
         tolerance: Optional[float] = None, forms: bool = True, name: Optional[str] = None, goal: Optional[str] = None,
         search: str = "default", strategy: str = "roi", seed: int = 1, usd_per_hour: Optional[float] = None,
         db: Optional[str] = None, folder: Optional[str] = None, program: Optional[str] = None,
         environment: Optional[Mapping[str, str]] = None,
         on_event: Optional[Callable[[Dict[str, Any]], None]] = None) -> Tuned:
    """Finds the configuration with which `compile_fn(config)` gives the fastest callable that is right.

    `baseline_fn` gives the right answers and is what speedups are over; `args` are its arguments, or a function that
    draws them anew. `space` has for each parameter the values it may have. Everything is recorded; docs/callables.md says
    how candidates are judged and timed.
    """
    drawer = args if callable(args) else None
    given = list(drawer() if drawer is not None else args)  # type: ignore[arg-type]
    subject = Subject(kind_of(given), baseline_fn, reference_fn, given, drawer, forms)
    subject.try_wide()
    question = _question(subject, compile_fn, space, constraint, tolerance, name)
    words = ["callable", "--stdio", "--search", search, "--strategy", strategy, "--seed", str(seed)]
    for option, value in (("--budget", budget), ("--goal", goal), ("--db", db),
                          ("--usd-per-hour", None if usd_per_hour is None else str(usd_per_hour))):
        words += [option, value] if value else []
    caller = _Caller(subject, compile_fn)
    with _Program(Commands(find_program(program), folder, environment), words) as harness:
        harness.say(question)
        summary = caller.serve(harness, on_event)
    return _tuned(summary, caller)


def powers_of_two(least: int, most: int) -> List[int]:
    """`powers_of_two(16, 128)` is [16, 32, 64, 128]."""
    return [1 << k for k in range(most.bit_length()) if least <= 1 << k <= most]


def _question(subject: Subject, compile_fn: Compile, space: Mapping[str, Sequence[Any]],
              constraint: Optional[Callable[[Dict[str, Any]], bool]], tolerance: Optional[float],
              name: Optional[str]) -> Json:
    values = {key: [_value(key, each) for each in space[key]] for key in sorted(space)}
    question: Json = {"schema": 1, "name": name or _plain(getattr(compile_fn, "__name__", "callable")),
                "device": subject.kind.device, "device_name": subject.kind.device_name[:80],
                "program": subject.kind.program, "compile_source": _source(compile_fn),
                "baseline_source": _source(subject.baseline), "arguments": subject.described(tolerance),
                "parameters": [{"name": key, "values": each} for key, each in values.items()]}
    if constraint is not None:
        size = 1
        for each in values.values():
            size *= len(each)
        if size > _MOST_POINTS:
            raise errors.BadInput(f"the space has {size} configurations, and {_MOST_POINTS} are the most with a constraint")
        question["points"] = [list(point) for point in itertools.product(*(range(len(each)) for each in values.values()))
                              if constraint({key: values[key][place] for key, place in zip(values, point)})]
    return question


def _value(name: str, value: Any) -> Any:
    """NumPy's numbers as Python's."""
    plain = value.item() if not isinstance(value, (bool, int, float, str)) and hasattr(value, "item") else value
    if not isinstance(plain, (bool, int, float, str)) or (isinstance(plain, float) and not math.isfinite(plain)):
        raise errors.BadInput(f"a value of '{name}' is {value!r}: numbers, texts and truth values are allowed")
    return plain


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]", "", name)[:80] or "callable"


def _source(function: Any) -> str:
    try:
        return inspect.getsource(function)[: 1 << 18]
    except (OSError, TypeError):  # written in C, or typed at a prompt
        return f"# {getattr(function, '__module__', '')}.{getattr(function, '__qualname__', function)!s}\n"


def _told(value: Any) -> Any:
    """JSON has no infinities and no NaN: null."""
    if isinstance(value, dict):
        return {key: _told(each) for key, each in cast(Dict[str, Any], value).items()}
    if isinstance(value, (list, tuple)):
        return [_told(each) for each in cast(Sequence[Any], value)]
    return None if isinstance(value, float) and not math.isfinite(value) else value


class _Program:
    """The process of `harness tune`."""

    def __init__(self, commands: Commands, words: Sequence[str]) -> None:
        self._said: IO[bytes] = tempfile.TemporaryFile()
        self._process = commands.start(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said)

    def say(self, message: Json) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(_told(message), allow_nan=False) + "\n")
            self._process.stdin.flush()
        except OSError:
            pass  # it has ended: its last line says why

    def lines(self) -> Iterator[Json]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            yield json.loads(line)

    def __enter__(self) -> _Program:
        return self

    def __exit__(self, *failure: Any) -> None:
        """What ended is in the record, however this ends."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        for _line in self._process.stdout:
            pass
        self._process.stdout.close()
        status = self._process.wait()
        self._said.seek(0)
        said = self._said.read().decode("utf-8", "replace")
        self._said.close()
        if failure[0] is None and status != 0:
            raise errors.of_status(status, said)


class _Caller:
    def __init__(self, subject: Subject, compile_fn: Compile) -> None:
        self.subject, self._compile = subject, compile_fn
        self._functions: collections.OrderedDict[str, Function] = collections.OrderedDict()
        self._build_s = 0.0

    def serve(self, harness: _Program, on_event: Optional[Callable[[Dict[str, Any]], None]]) -> Json:
        summary: Json = {}
        for line in harness.lines():
            if line.get("event") == "ask":
                harness.say({**self._answer(line), "id": line["id"]})
                continue
            if line.get("event") == "campaign_finished":
                summary = line
            if on_event is not None:
                on_event(line)
        return summary

    def function(self, candidate: Json) -> Function:
        """Compiled once, as long as it is in use."""
        if candidate["baseline"]:
            return self.subject.baseline
        key = json.dumps(candidate["config"], sort_keys=True)
        if key not in self._functions:
            begin = time.perf_counter()
            self._functions[key] = self._compile(dict(candidate["config"]))
            self._build_s += time.perf_counter() - begin
            while len(self._functions) > _KEPT_FUNCTIONS:
                self._functions.popitem(last=False)
        self._functions.move_to_end(key)
        return self._functions[key]

    def _answer(self, asked: Json) -> Json:
        if asked["ask"] == "trial":
            try:
                return judging.trial(self.subject, asked["forms"], asked["impostor_bits"], asked["forms_s"])
            except Refused as refused:
                return {"problem": f"the baseline itself is refused: {refused.failure['message']}"}
        if asked["ask"] == "spoil":
            return judging.spoil(self.subject, asked["compare"])
        self._build_s = 0.0
        evidence, failure, more = Evidence(), None, {}
        try:
            more = self._judged(asked, evidence) if asked["ask"] == "judge" else self._timed(asked, evidence)
        except Refused as refused:
            failure = refused.failure
        return {**evidence.answer(), **more, "failure": failure, "build_s": self._build_s}

    def _judged(self, asked: Json, evidence: Evidence) -> Json:
        function = self._made(asked["candidate"], asked["deadline_s"])
        for form in asked["forms"]:
            seeds = [0, None] if form == "nominal" and asked["first"] else [None]
            for seed in seeds + [None] * (asked["draws"] - 1):
                draw = self.subject.draw(form, seed)
                self._run(lambda: judging.judge(self.subject, function, draw, asked["compare"][form], evidence, form,
                                                asked["first"] and seed is None), asked["deadline_s"], "launch")
            if form != "nominal":
                evidence.gate(f"form:{form}", True, "right in this form of the inputs")
        return {}

    def _timed(self, asked: Json, evidence: Evidence) -> Json:
        functions = [self._made(asked["candidate"], asked["deadline_s"])]
        if asked.get("beside"):
            functions.append(self._made(asked["beside"], asked["deadline_s"]))
        made = timing.ByEvents if getattr(self.subject.kind, "on_gpu", False) else timing.ByClock
        contenders = [made(self.subject, each, timing.sets_for(self.subject)) for each in functions]
        limit = 40 * float(asked["policy"]["max_s"]) + 4 * float(asked["deadline_s"])
        self._run(lambda: timing.time_in_turns(contenders, asked["policy"]), limit, "timing")
        assert contenders[0].kept is not None
        draw, results = contenders[0].kept
        self.subject.answer(draw)
        judging.check_form_of(self.subject, results, evidence)
        try:
            judging.compare(self.subject, draw.right, self.subject.outputs(results, draw.arguments), asked["compare"],
                            Evidence())
        except Refused as refused:
            evidence.refuse("timed-launch", f"a timed call was wrong: {refused.failure['message']}")
        evidence.gate("timed-launch", True, "a timed call, chosen in secret, gave the right answer")
        return {"samples": [each.told() for each in contenders]}

    def _made(self, candidate: Json, deadline_s: float) -> Function:
        try:
            with _deadline(max(120.0, deadline_s)):
                return self.function(candidate)
        except TimedOut as error:
            raise Refused({"kind": "timed_out", "message": str(error), "stage": "build", "deadline_s": max(120.0, deadline_s)})
        except Exception as error:  # whatever a compiler raises
            self._refuse_if_known(error)
            raise Refused({"kind": "compile_error", "message": _sentence(error), "log": f"{_sentence(error)}\n\n{traceback.format_exc()}"})

    def _run(self, work: Callable[[], None], deadline_s: float, stage: str) -> None:
        try:
            with _deadline(deadline_s):
                work()
        except Refused:
            raise
        except TimedOut as error:
            raise Refused({"kind": "timed_out", "message": str(error), "stage": stage, "deadline_s": deadline_s})
        except Exception as error:  # whatever a candidate raises
            self._refuse_if_known(error)
            raise Refused({"kind": "launch_error", "message": _sentence(error)})

    def _refuse_if_known(self, error: Exception) -> None:
        known = ("out_of_memory", _sentence(error)) if isinstance(error, MemoryError) else self.subject.kind.failure(error)
        if known is not None:
            raise Refused({"kind": known[0], "message": known[1]})


def _sentence(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:1000]


@contextlib.contextmanager
def _deadline(seconds: float) -> Generator[None, None, None]:
    """Raises TimedOut in Python code that takes longer. Only in the main thread, and where nobody else uses the alarm."""
    free = threading.current_thread() is threading.main_thread() and \
        signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, signal.SIG_IGN, None)
    if not free:
        yield
        return

    def ring(_signal: int, _frame: Any) -> None:
        raise TimedOut(f"it took longer than {seconds:.3g} s")

    held = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, held)


def _tuned(summary: Json, caller: _Caller) -> Tuned:
    best = next(iter(summary.get("best", [])), None)
    if best is None:
        raise errors.HarnessError(f"nothing passed: {summary.get('message', '')}")
    baseline = best["variant"] == "00_baseline"
    candidate = {"baseline": baseline, "config": best["config"]}
    return Tuned(None if baseline else dict(best["config"]), caller.function(candidate), best["time_ns"], best["speedup"],
                 bool(best["confirmed"]), int(summary["campaign"]), summary)


__all__ = ["Tuned", "powers_of_two", "tune"]
