"""What is tuned: the caller's functions, their arguments, and the right answers."""

from __future__ import annotations

import inspect
import secrets
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, cast

from .kinds import FLOATS, Domain, Kind, Results, flat

Function = Callable[..., Any]


@dataclass
class Draw:
    """Arguments of one call, and what is right for them. `positions` are the places of the arrays among all arguments."""

    arguments: List[Any]
    before: Dict[int, Any]  # the arrays as they were
    seed: int
    right: Dict[str, Any]  # by output
    others: Dict[str, Any]  # what is returned beside arrays


class Subject:
    """Draws arguments and knows the right answers. Raises TypeError and ValueError with a sentence."""

    def __init__(self, kind: Kind, baseline: Function, reference: Optional[Function], arguments: Sequence[Any],
                 drawer: Optional[Callable[[], Sequence[Any]]], forms: bool) -> None:
        self.kind, self.baseline, self.drawer = kind, baseline, drawer
        self.reference, self.given_reference = reference or baseline, reference is not None
        self.given = list(arguments)
        self.forms = forms and drawer is None
        self.positions = [i for i, each in enumerate(self.given) if kind.owns(each)]
        self.names = _names(baseline, len(self.given))
        self.returned_as = "result" if "result" not in self.names else "returned"
        self.domains: Dict[int, Domain] = {i: kind.domain(self.given[i]) for i in self.positions}
        self.wide = True  # the reference computes in double precision
        self.why_not_wide = ""
        self.last_results: List[Any] = []  # what a candidate returned last: memory like it is spoiled before the next call
        self._learn()

    def _learn(self) -> None:
        """Which arguments the baseline writes, what it returns, whether it gives the same twice."""
        first, second = self.copies(self.given), self.copies(self.given)
        results, again = self.results(self.baseline, first), self.results(self.baseline, second)
        self.written = [i for i in self.positions if not self.kind.same(first[i], self.given[i])]
        drawn = self.copies(self.fresh("nominal", secrets.randbits(62)))
        before = self.copies(drawn)
        self.results(self.baseline, drawn)
        self.written = [i for i in self.positions
                        if i in self.written or not self.kind.same(drawn[i], before[i])]
        for i in self.written:
            self._draw_what_is_overwritten(i, first[i])
        self.returned = {name: (self.kind.dtype(each), self.kind.shape(each)) for name, each in results.arrays.items()}
        self.deterministic = all(self.kind.same(results.arrays[name], again.arrays[name]) for name in results.arrays) \
            and all(self.kind.same(first[i], second[i]) for i in self.written)

    def _draw_what_is_overwritten(self, place: int, result: Any) -> None:
        """An output that the baseline fills whatever was there begins with anything: what is not written shows."""
        anything = Domain(-100, 100, 0, 30)
        if self.drawer is not None or self.kind.dtype(result) not in FLOATS:
            return
        arguments = self.copies(self.given)
        self.kind.draw(arguments[place], anything, "nominal", secrets.randbits(62))
        self.results(self.baseline, arguments)
        if self.kind.same(arguments[place], result):
            self.domains[place] = anything

    def described(self, tolerance: Optional[float]) -> List[Dict[str, Any]]:
        """The arguments and results as the program is told of them."""
        told: List[Dict[str, Any]] = [{"name": self.names[i], "kind": "inout" if i in self.written else "input",
                 "dtype": self.kind.dtype(self.given[i]), "shape": list(self.kind.shape(self.given[i]))}
                for i in self.positions]
        told += [{"name": name, "kind": "output", "dtype": dtype, "shape": list(shape)}
                 for name, (dtype, shape) in self.returned.items()]
        for each in told:
            if tolerance is not None and each["kind"] != "input" and each["dtype"] in FLOATS:
                each["tolerance"] = tolerance
        return told

    def copies(self, arguments: Sequence[Any]) -> List[Any]:
        return [self.kind.clone(each) if self.kind.owns(each) else each for each in arguments]

    def fresh(self, form: str, seed: int) -> List[Any]:
        """Arguments with values that no call had before."""
        if self.drawer is not None:
            drawn = list(self.drawer())
            if [self._looks(each) for each in drawn] != [self._looks(each) for each in self.given]:
                raise ValueError("the function that draws arguments gave others in type or shape than at first")
            return self.copies(drawn)
        made = self.copies(self.given)
        for i in self.positions:
            domain = self.domains[i]
            if domain.deviation > 0:
                self.kind.draw(made[i], domain, form, (seed + i) % (1 << 62))
        return made

    def _looks(self, value: Any) -> Tuple[Any, ...]:
        return (self.kind.dtype(value), self.kind.shape(value)) if self.kind.owns(value) else (cast(Any, type(value)),)

    def results(self, function: Function, arguments: Sequence[Any]) -> Results:
        return self.flat(self.kind.call(function, arguments))

    def flat(self, value: Any) -> Results:
        return flat(self.kind, value, self.returned_as)

    def outputs(self, results: Results, arguments: Sequence[Any]) -> Dict[str, Any]:
        """What was returned and what was written in place, by the names that the program knows."""
        return {**results.arrays, **{self.names[i]: arguments[i] for i in self.written}}

    def answered(self, arguments: Sequence[Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        """The right answers: in double precision where the reference can."""
        made = [self.kind.wide(each) if self.wide and self.kind.owns(each) else
                self.kind.clone(each) if self.kind.owns(each) else each for each in arguments]
        results = self.results(self.reference, made)
        return self.outputs(results, made), results.others

    def draw(self, form: str, seed: Optional[int] = None) -> Draw:
        chosen = secrets.randbits(62) if seed is None else seed
        arguments = self.copies(self.given) if seed == 0 else self.fresh(form, chosen)
        return self.of(arguments, chosen)

    def of(self, arguments: List[Any], seed: int) -> Draw:
        right, others = self.answered(arguments)
        return Draw(arguments, {i: self.kind.clone(arguments[i]) for i in self.positions}, seed, right, others)

    def unanswered(self) -> Draw:
        """A draw to be timed on: its right answers are computed only where they are needed (`answer`)."""
        seed = secrets.randbits(62)
        arguments = self.fresh("nominal", seed)
        return Draw(arguments, {i: self.kind.clone(arguments[i]) for i in self.positions}, seed, {}, {})

    def answer(self, draw: Draw) -> None:
        draw.right, draw.others = self.answered([draw.before.get(i, each) for i, each in enumerate(draw.arguments)])

    def try_wide(self) -> None:
        """Falls back to the reference in the arguments' own types where it cannot compute in double or means another
        thing there."""
        draw = self.copies(self.given)
        mine = self.outputs(self.results(self.baseline, draw), draw)
        try:
            right, _ = self.answered(self.given)
            for name, each in mine.items():
                if self.kind.shape(right[name]) != self.kind.shape(each):
                    raise ValueError(f"'{name}' has another shape there")
                if self.kind.dtype(each) not in FLOATS:
                    continue
                if self.kind.measure(right[name], each).relative > 0.05:
                    raise ValueError(f"'{name}' differs there by more than rounding explains")
        except Exception as error:  # whatever a stranger's function raises
            if self.given_reference:
                raise
            self.wide, self.why_not_wide = False, str(error).split("\n", 1)[0][:200]

    def equal_others(self, expected: Mapping[str, Any], got: Mapping[str, Any]) -> Optional[str]:
        """The name of a returned value that is no array and is not the baseline's."""
        for name in {**expected, **got}:
            if name not in got or name not in expected or not _equal(expected[name], got[name]):
                return name
        return None


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return a == b or abs(a - b) <= 1e-6 * max(abs(a), abs(b)) or (a != a and b != b)
    try:
        return bool(a == b)
    except Exception:  # it cannot be compared
        return False


def _names(function: Function, count: int) -> List[str]:
    names: List[str] = []
    try:
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                names.append(parameter.name)
    except (TypeError, ValueError):
        pass
    return [names[i] if i < len(names) and names[i].isascii() else f"argument.{i}" for i in range(count)]
