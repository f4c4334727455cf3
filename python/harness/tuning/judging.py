"""The gates: whether what a candidate leaves is right. The program says by which tolerances."""

from __future__ import annotations

import math
import time
from typing import Any, Dict, List, Mapping, Optional, Sequence

from .kinds import FLOATS, Results
from .subject import Draw, Function, Subject

Json = Dict[str, Any]


class Refused(Exception):
    """A gate has failed."""

    def __init__(self, failure: Json) -> None:
        super().__init__(failure.get("message", ""))
        self.failure = failure


class Evidence:
    """Gates, errors and seeds, as the program is told of them. The worst of several launches stands."""

    def __init__(self) -> None:
        self.gates: Dict[str, Json] = {}
        self.errors: Dict[str, Json] = {}
        self.seeds: List[int] = []

    def gate(self, name: str, passed: Optional[bool], detail: str) -> None:
        held = self.gates.get(name)
        if held is None or (held["passed"] is not False and passed is not held["passed"]):
            self.gates[name] = {"name": name, "passed": passed, "detail": detail}

    def refuse(self, name: str, message: str, kind: str = "wrong_answer", **more: Any) -> None:
        self.gates[name] = {"name": name, "passed": False, "detail": message}
        raise Refused({"kind": kind, "message": message, "gate": name, "fingerprint": name, **more})

    def answer(self) -> Json:
        return {"gates": list(self.gates.values()), "errors": list(self.errors.values()), "seeds": self.seeds}


def compare(subject: Subject, right: Mapping[str, Any], got: Mapping[str, Any], by: Mapping[str, Json],
            evidence: Evidence, form: str = "nominal") -> None:
    """Raises Refused at the first output that is wrong."""
    kind, where = subject.kind, "" if form == "nominal" else f" (inputs: {form})"
    for name, rule in by.items():
        if rule.get("exact"):
            count, index, expected, found = kind.differing(right[name], got[name])
            if count:
                evidence.refuse(f"exact:{name}", f"{count} elements of '{name}' differ{where}",
                                first_bad={"argument": name, "index": list(index), "expected": expected, "got": found})
            evidence.gate(f"exact:{name}", True, "every element is the baseline's")
            continue
        _compare_floats(subject, name, right[name], got[name], rule, evidence, where)


def _compare_floats(subject: Subject, name: str, right: Any, got: Any, rule: Json, evidence: Evidence, where: str) -> None:
    stats = subject.kind.measure(right, got)
    if stats.not_finite:
        evidence.refuse("finite", f"{stats.not_finite} elements of '{name}' are finite in one of output and reference{where}",
                        first_bad={"argument": name, "index": list(stats.first_not_finite), "expected": 0, "got": 0})
    evidence.gate("finite", True, "each element is finite where the reference is")
    few = 1 + rule["few_elements"] / math.sqrt(max(1, stats.count))
    tolerance = rule["tolerance"] * few
    drift = rule["tolerance"] * (rule["scale_share"] + 1 / math.sqrt(max(1, stats.count))) + rule["rounding"]
    told = {"argument": name, "relative_l2": stats.relative, "tolerance": tolerance}
    if stats.relative >= evidence.errors.get(name, told)["relative_l2"]:
        evidence.errors[name] = told
    wrong = ""
    if stats.relative > tolerance:
        wrong = f"error {stats.relative:.2g} as a whole, tolerance {tolerance:.2g}"
    elif stats.worst_row > tolerance * rule["row"]:
        wrong = f"a row's error is {stats.worst_row:.2g}, tolerance {tolerance * rule['row']:.2g}"
    elif stats.worst_element > tolerance * rule["element"]:
        wrong = f"an element's error is {stats.worst_element:.2g}, tolerance {tolerance * rule['element']:.2g}"
    elif abs(stats.factor - 1) > drift:
        wrong = f"it is {stats.factor:.6g} times what is right"
    if wrong:
        evidence.refuse(f"relative-l2:{name}", f"'{name}' is wrong{where}: {wrong}",
                        first_bad={"argument": name, "index": list(stats.worst_index), "expected": stats.expected,
                                   "got": stats.got})
    evidence.gate(f"relative-l2:{name}", True, f"{stats.relative:.2g}, tolerance {tolerance:.2g}")


def check_memory(subject: Subject, draw: Draw, arguments: Sequence[Any], evidence: Evidence) -> None:
    """Nothing is written that the baseline does not write."""
    kind = subject.kind
    for i in subject.positions:
        name, holds = subject.names[i], kind.guards_hold(arguments[i])
        if holds is False:
            evidence.refuse("guard-zones", f"memory before or behind '{name}' was written")
        evidence.gate("guard-zones", holds, "nothing was written around the arguments" if holds else
                      "this kind of array has no room around it")
        if i not in subject.written and not kind.same(arguments[i], draw.before[i]):
            evidence.refuse("inputs-unchanged", f"'{name}' was written, which the baseline does not do")
    evidence.gate("inputs-unchanged", True, "what the baseline does not write is as it was drawn")


def check_form_of(subject: Subject, results: Results, evidence: Evidence) -> None:
    """The same arrays as the baseline's, by name, type and shape."""
    kind = subject.kind
    names = list(results.arrays)
    if set(names) != set(subject.returned):
        evidence.refuse("written", f"it returns {_listed(names)}, the baseline {_listed(list(subject.returned))}")
    for name, each in results.arrays.items():
        looks = (kind.dtype(each), kind.shape(each))
        if looks != subject.returned[name]:
            evidence.refuse("written", f"'{name}' is {_shaped(looks)}, the baseline's {_shaped(subject.returned[name])}")


def launch(subject: Subject, function: Function, draw: Draw, evidence: Evidence) -> Dict[str, Any]:
    """One call on fresh copies of a draw; its outputs by name."""
    arguments = subject.copies([draw.before.get(i, each) for i, each in enumerate(draw.arguments)])
    subject.kind.poison_freed_memory(subject.last_results)
    results = subject.results(function, arguments)
    check_form_of(subject, results, evidence)
    wrong = subject.equal_others(draw.others, results.others)
    if wrong is not None:
        evidence.refuse("written", f"'{wrong}' is not what the baseline returns")
    check_memory(subject, draw, arguments, evidence)
    return subject.outputs(results, arguments)


def judge(subject: Subject, function: Function, draw: Draw, by: Mapping[str, Json], evidence: Evidence, form: str,
          twice: bool) -> None:
    evidence.seeds.append(draw.seed)
    got = launch(subject, function, draw, evidence)
    subject.last_results = [got[name] for name in subject.returned]
    compare(subject, draw.right, got, by, evidence, form)
    if not twice:
        return
    if not subject.deterministic:
        evidence.gate("determinism", None, "not deterministic: the baseline leaves other bits a second time")
        return
    again = launch(subject, function, draw, evidence)
    for name in got:
        if not subject.kind.same(got[name], again[name]):
            evidence.refuse("determinism", f"a second call on the same inputs left other bits in '{name}'")
    evidence.gate("determinism", True, "a second call on the same inputs left the same bits")


def trial(subject: Subject, forms: Sequence[str], bits: Mapping[str, int], forms_s: float) -> Json:
    """The errors of the baseline and of an impostor one precision lower, in each form."""
    found: List[Json] = []
    skipped = [f"the reference computes in the arguments' own types: {subject.why_not_wide}"] if not subject.wide else []
    begin = time.perf_counter()
    for form in forms if subject.forms else ("nominal",):
        if form != "nominal" and time.perf_counter() - begin > forms_s:
            skipped.append(f"{form}: no time was left for it")
            continue
        draws = [subject.draw(form)] + ([subject.draw(form, 0)] if form == "nominal" else [])
        errors: Dict[str, List[Any]] = {}
        for draw in draws:
            why = _measure_errors(subject, draw, bits, errors)
            if why and form == "nominal":
                return {"problem": why}
            if why:
                skipped.append(f"{form}: {why}")
                errors = {}
                break
        found += [{"form": form, "output": name, "honest": _finite(honest), "impostor": _finite(impostor)}
                  for name, (honest, impostor) in errors.items()]
    return {"found": found, "skipped": skipped}


def _measure_errors(subject: Subject, draw: Draw, bits: Mapping[str, int], errors: Dict[str, List[Any]]) -> str:
    kind = subject.kind
    honest = launch(subject, subject.baseline, draw, Evidence())
    rounded = [kind.rounded(each, min(b for b in bits.values() if b) if any(bits.values()) else 52)
               if kind.owns(each) else each for each in subject.copies(
                   [draw.before.get(i, each) for i, each in enumerate(draw.arguments)])]
    impostor, _ = subject.answered(rounded)
    for name, right in draw.right.items():
        if kind.dtype(honest[name]) not in FLOATS:
            continue
        own, other = kind.measure(right, honest[name]), kind.measure(right, kind.rounded(impostor[name], bits[name]))
        if own.not_finite:
            return f"'{name}' of the baseline is not finite where its reference is, or the other way round"
        held = errors.setdefault(name, [0.0, 0.0])
        held[0], held[1] = max(held[0], own.relative), max(held[1], math.inf if other.not_finite else other.relative)
    return ""


def _finite(value: float) -> Optional[float]:
    return value if math.isfinite(value) else None


_MUTANTS = ("all zeros", "previous output", "partly written", "last row missing", "scaled by 1.01", "one precision lower")


def spoil(subject: Subject, by: Mapping[str, Json]) -> Json:
    """Every output spoiled in every way that changes it: the comparison must refuse each."""
    kind, draw, other = subject.kind, subject.draw("nominal"), subject.draw("nominal")
    right, before = (launch(subject, subject.baseline, each, Evidence()) for each in (draw, other))
    mutants: List[Json] = []
    for name, rule in by.items():
        for how in _MUTANTS:
            wrong = kind.spoiled(right[name], how, before[name], rule.get("impostor_bits", 0))
            if wrong is None or kind.same(wrong, right[name]) or (how == "scaled by 1.01" and rule["rounding"] > 0.005):
                continue
            if how == "partly written" and not rule.get("exact") and _is_near(subject, right[name], wrong, rule):
                continue  # the value that stands there is nearly right by chance
            evidence = Evidence()
            try:
                compare(subject, draw.right, {**right, name: wrong}, by, evidence)
                caught = ""
            except Refused as refused:
                caught = refused.failure["gate"]
            mutants.append({"mutant": how, "output": name, "caught_by": caught, "detail": ""})
    return {"mutants": mutants}


def _is_near(subject: Subject, right: Any, wrong: Any, rule: Json) -> bool:
    return subject.kind.measure(right, wrong).worst_element < 4 * rule["element"] * rule["tolerance"]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{each}'" for each in names) or "nothing"


def _shaped(looks: Any) -> str:
    return f"{looks[0]}[{','.join(str(each) for each in looks[1])}]"


