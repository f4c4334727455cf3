"""Times a candidate and another contender in turns, on fresh inputs: CUDA graphs and events on a GPU, else the clock."""

from __future__ import annotations

import math
import secrets
import time
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .kinds import Kind
from .subject import Draw, Function, Subject

_LEAST_NS = 200_000  # of one sample on a CPU: the clock's own time vanishes in it
_MOST_SETS, _MOST_COLD = 16, 3
_FEWEST_ROUNDS, _PATIENCE, _PLAINLY = 6, 10, 1.5  # as the program's own timing (evaluate/measure.cpp)
_PAUSE_S = 0.005


class Contender:
    """A function and sets of its inputs, which together exceed the caches."""

    def __init__(self, subject: Subject, function: Function, sets: int) -> None:
        self.subject, self.function = subject, function
        self.draws = [subject.unanswered() for _ in range(sets)]
        self.rotating: List[float] = []
        self.cold: List[float] = []
        self.warm: List[float] = []
        self.calls = 1
        self.method = ""
        self.kept: Optional[Tuple[Draw, Any]] = None  # of a secretly chosen call

    def refresh(self) -> None:
        """New values in one set, chosen in secret; what was written in place is as it was drawn."""
        if self.subject.drawer is None:
            place = secrets.randbelow(len(self.draws))
            fresh, draw = self.subject.fresh("nominal", secrets.randbits(62)), self.draws[place]
            for i in draw.before:
                self.subject.kind.copy_into(draw.before[i], fresh[i])
                self.subject.kind.copy_into(draw.arguments[i], fresh[i])
            draw.right = {}
        for draw in self.draws:
            for i in self.subject.written:
                self.subject.kind.copy_into(draw.arguments[i], draw.before[i])

    def prepare(self) -> None:
        """Before the first sample."""

    def sample(self) -> float:
        """Nanoseconds of one call, over all sets."""
        raise NotImplementedError

    def single(self, flush: bool) -> float:
        raise NotImplementedError

    def keep(self) -> None:
        """One call as it was timed; what it left is judged later."""
        raise NotImplementedError

    def told(self) -> Dict[str, Any]:
        return {"rotating_ns": self.rotating, "cold_ns": self.cold, "warm_ns": self.warm, "calls_per_sample": self.calls,
                "input_sets": len(self.draws), "method": self.method}


class ByClock(Contender):
    def prepare(self) -> None:
        once = max(1.0, self._all(1))
        self.calls = max(1, math.ceil(_LEAST_NS / once)) * len(self.draws)
        if self.subject.written:  # a second call on the same set would have other inputs
            self.calls = len(self.draws)
        self.method = f"{self.calls} calls a sample, {len(self.draws)} sets, the caller's clock, in turns"

    def _all(self, rounds: int) -> float:
        call, function, draws = self.subject.kind.call, self.function, self.draws
        begin = time.perf_counter_ns()
        for _ in range(rounds):
            for draw in draws:
                call(function, draw.arguments)
        return time.perf_counter_ns() - begin

    def sample(self) -> float:
        return self._all(max(1, self.calls // len(self.draws))) / self.calls

    def single(self, flush: bool) -> float:
        draw = self.draws[0]
        if flush:
            self.subject.kind.flush()
        begin = time.perf_counter_ns()
        self.subject.kind.call(self.function, draw.arguments)
        return float(max(1, time.perf_counter_ns() - begin))

    def keep(self) -> None:
        draw = self.draws[secrets.randbelow(len(self.draws))]
        for i in self.subject.written:
            self.subject.kind.copy_into(draw.arguments[i], draw.before[i])
        self.kept = (draw, self.subject.results(self.function, draw.arguments))


class ByEvents(Contender):
    """On a GPU: all sets in one graph where the function can be captured, else calls by the host."""

    def prepare(self) -> None:
        from . import torch_graphs

        self._graphs, self._torch = torch_graphs, torch_graphs.torch
        for draw in self.draws:  # what is compiled at a first call is compiled here
            self.subject.kind.call(self.function, draw.arguments)
        calls = [draw.arguments for draw in self.draws]
        self._graph, why, self._results = torch_graphs.captured(self.function, calls)
        self._one = None if self._graph is None else torch_graphs.captured(self.function, calls[:1])[0]
        self.method = f"CUDA graph of {len(self.draws)} calls, {len(self.draws)} sets, events, in turns"
        if self._graph is None:
            self.method = f"{len(self.draws)} calls until the device rests, launches by the host included (no graph: {why}), in turns"
        self.calls = len(self.draws)

    def _calls(self) -> None:
        for draw in self.draws:
            self.function(*draw.arguments)

    def sample(self) -> float:
        return float(self._graphs.timed(self._graph, self._calls)) / self.calls

    def single(self, flush: bool) -> float:
        if flush:
            self.subject.kind.flush()
        return float(self._graphs.timed(self._one, lambda: self.function(*self.draws[0].arguments)))

    def keep(self) -> None:
        for draw in self.draws:
            for i in self.subject.written:
                self.subject.kind.copy_into(draw.arguments[i], draw.before[i])
        place = secrets.randbelow(len(self.draws))
        if self._graph is None:
            self.kept = (self.draws[place], self.subject.results(self.function, self.draws[place].arguments))
            return
        self._graph.replay()
        self._torch.cuda.synchronize()
        self.kept = (self.draws[place], self.subject.flat(self._results[place]))


def sets_for(subject: Subject) -> int:
    kind: Kind = subject.kind
    size = sum(kind.bytes_of(subject.given[i]) for i in subject.positions)
    return max(2, min(_MOST_SETS, math.ceil(2 * kind.cache_bytes() / max(1, size))))


def time_in_turns(contenders: Sequence[Contender], policy: Mapping[str, Any]) -> None:
    """Fills their samples, by the program's policy."""
    for contender in contenders:
        contender.prepare()
    begin, rounds = time.perf_counter(), 0
    while _another(rounds, time.perf_counter() - begin, contenders, policy):
        for turn in range(len(contenders)):
            contender = contenders[(turn + rounds) % len(contenders)]
            contender.refresh()
            contender.rotating.append(max(1e-3, contender.sample()))
        rounds += 1
        if policy.get("pause_s"):
            time.sleep(min(_PAUSE_S, float(policy["pause_s"])))
    if policy.get("cold"):
        for _ in range(_MOST_COLD):
            for contender in contenders:
                contender.refresh()
                contender.cold.append(contender.single(True))
                contender.refresh()
                contender.single(False)
                contender.warm.append(contender.single(False))
    contenders[0].refresh()
    contenders[0].keep()


def _another(rounds: int, spent_s: float, contenders: Sequence[Contender], policy: Mapping[str, Any]) -> bool:
    samples = [each.rotating for each in contenders]
    most_s, factor = float(policy["max_s"]), float(policy.get("abandon_factor", 0))
    if rounds == 0:
        return True
    if len(samples) > 1 and factor > 0 and rounds >= _FEWEST_ROUNDS and min(samples[0]) > factor * max(samples[1]):
        return False
    if rounds < _FEWEST_ROUNDS or _disturbed(samples):
        return spent_s < _PATIENCE * most_s
    return spent_s < most_s and not all(_quiet(each, policy) for each in samples)


def _disturbed(samples: Sequence[Sequence[float]]) -> bool:
    """Medians lie plainly apart, and stray samples hide it: more samples tell."""
    if len(samples) < 2:
        return False
    (low, one, high), (least, other, most) = (_interval(each) for each in samples)
    return max(one, other) > _PLAINLY * min(one, other) and low <= most and least <= high


def _interval(samples: Sequence[float]) -> Tuple[float, float, float]:
    """The median between the ends of its 95 % interval, from order statistics."""
    ordered, count = sorted(samples), len(samples)
    reach = 1.96 * math.sqrt(count) / 2
    return (ordered[max(0, math.floor(count / 2 - reach))], ordered[count // 2],
            ordered[min(count - 1, math.ceil(count / 2 + reach))])


def _quiet(samples: Sequence[float], policy: Mapping[str, Any]) -> bool:
    low, median, high = _interval(samples)
    return len(samples) >= int(policy["min_samples"]) and high - low <= 2 * float(policy["noise"]) * median
