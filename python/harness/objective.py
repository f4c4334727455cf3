"""A kernel as a function of its source: what an optimizer or a trainer that is not ours maximizes."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any, List, Mapping, Optional, Sequence, Tuple, cast

from . import errors
from .session import Session
from .verdict import Verdict


@dataclass(frozen=True)
class Scored:
    """`score`: the geometric mean of the speedups over all workloads, or 0 where one of them did not pass."""

    score: float
    verdicts: Tuple[Verdict, ...]
    feedback: str  # for whoever writes the next source

    @property
    def passed(self) -> bool:
        return self.score > 0


_MANIFEST = re.compile(r"\A(?:\s*//[^\n]*\n)*\s*/\*\s*manifest:(.*?)\*/", re.DOTALL)


class Objective:
    """Scores sources of one kernel in a session. The variant's launch and parameters stay as they are, unless the source
    brings its own: its first comment is then `/* manifest: {...} */`, a JSON object with the parts that change."""

    def __init__(self, session: Session, kernel: str, *, variant: Optional[str] = None,
                 workloads: Sequence[str] = (), parameters: Optional[Mapping[str, Any]] = None) -> None:
        self.session = session
        self.kernel = kernel
        self.variant = variant
        self.workloads = tuple(workloads) or (self._first_workload(),)
        self.parameters = parameters

    def source(self) -> str:
        """What to begin with: the variant's own source."""
        return self.session.source(self.kernel, self.variant)

    def score(self, source: str, label: Optional[str] = None) -> Scored:
        """Stops at the first workload that fails. Raises BudgetSpent, EnvironmentLacks: those are no one's score."""
        verdicts: List[Verdict] = []
        try:
            manifest = manifest_of(source)
        except ValueError as error:
            return Scored(0.0, (), f"the first comment of the source is no manifest: {error}")
        for workload in self.workloads:
            try:
                verdict = self.session.evaluate(self.kernel, variant=self.variant, source=source, manifest=manifest,
                                                workload=workload, parameters=self.parameters, label=label)
            except errors.BadInput as error:  # no such entry, not UTF-8: the source's own fault
                return Scored(0.0, tuple(verdicts), error.sentence)
            verdicts.append(verdict)
            if not verdict.passed:
                return Scored(0.0, tuple(verdicts), f"workload {workload}\n{verdict.feedback()}")
        logarithms = [math.log(each.score) for each in verdicts]
        return Scored(math.exp(sum(logarithms) / len(logarithms)), tuple(verdicts),
                      "\n".join(f"workload {each.workload}\n{each.feedback()}" for each in verdicts))

    def _first_workload(self) -> str:
        named = {each["name"]: each["workloads"] for each in self.session.kernels()}
        if self.kernel not in named:
            raise errors.BadInput(f"there is no kernel '{self.kernel}'; there are: {', '.join(named)}")
        return str(named[self.kernel][0]["name"])


def manifest_of(source: str) -> Optional[Mapping[str, Any]]:
    """What a source's first comment says of its launch; None where it says nothing. ValueError: it is no JSON object."""
    found = _MANIFEST.match(source)
    if not found:
        return None
    manifest = json.loads(found.group(1), strict=False)
    if not isinstance(manifest, dict):
        raise ValueError("it is not a JSON object")
    return cast(Mapping[str, Any], manifest)


def fenced(reply: str) -> str:
    """The last block of code in a model's reply, or the reply where it has none."""
    blocks = re.findall(r"^```[^\n]*\n(.*?)^```", reply, re.DOTALL | re.MULTILINE)
    return str(blocks[-1]) if blocks else reply
