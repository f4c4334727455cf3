#!/usr/bin/env python3
"""Sums up the lines of mutation_bench: bench/mutations.py FILE..."""
import collections
import json
import sys

mutants = []
for name in sys.argv[1:]:
    for line in open(name):
        row = json.loads(line)
        if row.get("outcome") in ("compile_error", "unsupported"):
            continue  # no mutant that a gate had to judge
        if "kernel" in row:
            mutants.append(row)

kernels = sorted({row["kernel"] for row in mutants})
print("| kernel | mutants | refused | same as the original | within tolerance | wrong and passed |")
print("|---|--:|--:|--:|--:|--:|")
total = collections.Counter()
for kernel in kernels + ["all"]:
    rows = [row for row in mutants if kernel in ("all", row["kernel"])]
    passed = [row for row in rows if row["outcome"] == "passed"]
    by = collections.Counter(row["decision"] for row in passed)
    print(f"| {kernel} | {len(rows)} | {len(rows) - len(passed)} | {by['same']} | {by['within tolerance']} | {by['wrong']} |")
for row in mutants:
    if row["outcome"] == "passed" and row["decision"] != "same":
        print(f"{row['decision']}: {row['kernel']} {row['original']}: {row['mutation']} "
              f"({row['differing']} of {row['points']} points differ; {row['where']})")
