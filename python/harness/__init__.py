"""Drives the program harness, which makes CUDA kernels faster within a budget.

    import harness
    with harness.Session(budget="30m") as h:
        print(h.evaluate("softmax", source=open("mine.cu").read()).speedup)

The manual is docs/python.md.
"""

from .errors import BadInput, BudgetSpent, Cancelled, EnvironmentLacks, HarnessError, ProgramEnded
from .objective import Objective, Scored, fenced
from .program import Events, find_program
from .session import AsyncSession, Evaluation, Session
from .tuning.caller import Tuned, powers_of_two, tune
from .verdict import Failure, FirstBad, Gate, Rows, Verdict

__all__ = ["AsyncSession", "BadInput", "BudgetSpent", "Cancelled", "EnvironmentLacks", "Evaluation", "Events", "Failure",
           "FirstBad", "Gate", "HarnessError", "Objective", "ProgramEnded", "Rows", "Scored", "Session", "Tuned", "Verdict", "fenced",
           "find_program", "powers_of_two", "tune"]
