#!/usr/bin/env python3
"""An evaluator for ShinkaEvolve: a program is the CUDA source of one variant, its score the speedup over the baseline.

usage: evaluate.py --program_path FILE.cu --results_dir DIR, as ShinkaEvolve's scheduler calls it. HARNESS_KERNEL,
HARNESS_VARIANT, HARNESS_WORKLOADS, HARNESS_SESSION, HARNESS_BUDGET, HARNESS_DEVICE and HARNESS_DB say what is evolved.
"""
import argparse
import json
import os

import harness


def setting(name, otherwise=None):
    return os.environ.get("HARNESS_" + name) or otherwise


def objective(session):
    workloads = setting("WORKLOADS")
    return harness.Objective(session, setting("KERNEL", "softmax"), variant=setting("VARIANT"),
                             workloads=workloads.split(",") if workloads else ())


def main(program_path, results_dir):
    with open(program_path, encoding="utf-8") as file:
        source = file.read()
    with harness.Session(setting("SESSION", "shinka"), budget=setting("BUDGET", "30m"),
                         device=setting("DEVICE", "auto"), db=setting("DB")) as session:
        try:
            scored = objective(session).score(source, label="shinka")
            score, correct, said = scored.score, scored.passed, scored.feedback
        except harness.BudgetSpent as spent:
            score, correct, said = 0.0, False, str(spent)
    metrics = {"combined_score": score, "public": {"speedup": score}, "private": {}, "text_feedback": said}
    os.makedirs(results_dir, exist_ok=True)
    for name, content in (("metrics.json", metrics), ("correct.json", {"correct": correct, "error": "" if correct else said})):
        with open(os.path.join(results_dir, name), "w", encoding="utf-8") as file:
            json.dump(content, file, indent=2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program_path", required=True)
    parser.add_argument("--results_dir", required=True)
    main(**vars(parser.parse_args()))
