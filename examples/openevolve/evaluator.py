"""An evaluator for OpenEvolve: a program is the CUDA source of one variant, its score the speedup over the baseline.

HARNESS_KERNEL, HARNESS_VARIANT, HARNESS_WORKLOADS, HARNESS_SESSION, HARNESS_BUDGET, HARNESS_DEVICE and HARNESS_DB say
what is evolved. All worker processes share the session's budget.
"""
import functools
import os

import harness
from openevolve.evaluation_result import EvaluationResult


def setting(name, otherwise=None):
    return os.environ.get("HARNESS_" + name) or otherwise


@functools.lru_cache(maxsize=None)
def objective():
    session = harness.Session(setting("SESSION", "openevolve"), budget=setting("BUDGET", "30m"),
                              device=setting("DEVICE", "auto"), db=setting("DB"))
    workloads = setting("WORKLOADS")
    return harness.Objective(session, setting("KERNEL", "softmax"), variant=setting("VARIANT"),
                             workloads=workloads.split(",") if workloads else ())


def evaluate(program_path):
    with open(program_path, encoding="utf-8") as file:
        source = file.read()
    try:
        scored = objective().score(source, label="openevolve")
    except harness.BudgetSpent as spent:
        return EvaluationResult(metrics={"combined_score": 0.0, "budget_spent": 1.0}, artifacts={"verdict": str(spent)})
    return EvaluationResult(metrics={"combined_score": scored.score, "correct": float(scored.passed)},
                            artifacts={"verdict": scored.feedback})
