#!/usr/bin/env python3
"""Sums up the lines of mutation_bench: bench/mutations.py [--record FILE.json --gates VERSION --date DAY] FILE...

With --record the sums are written there too, with each mutant that passed and differs. What README says of the gates
is compared with bench/h200/conditions.json (tests/core/claims_test.cpp)."""
import argparse
import collections
import json

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--record", default="")
parser.add_argument("--gates", type=int, default=0, help="version of the gates that judged them (core/gates.h)")
parser.add_argument("--date", default="")
parser.add_argument("--how", default="", help="the commands and seeds, and on which machine")
parser.add_argument("files", nargs="+")
given = parser.parse_args()

mutants = []
for name in given.files:
    for line in open(name):
        row = json.loads(line)
        if row.get("outcome") in ("compile_error", "unsupported"):
            continue  # no mutant that a gate had to judge
        if "kernel" in row:
            mutants.append(row)

kernels = sorted({row["kernel"] for row in mutants})
print("| kernel | mutants | refused | same as the original | within tolerance | wrong and passed |")
print("|---|--:|--:|--:|--:|--:|")
sums = []
for kernel in kernels + ["all"]:
    rows = [row for row in mutants if kernel in ("all", row["kernel"])]
    passed = [row for row in rows if row["outcome"] == "passed"]
    by = collections.Counter(row["decision"] for row in passed)
    refused = len(rows) - len(passed)
    print(f"| {kernel} | {len(rows)} | {refused} | {by['same']} | {by['within tolerance']} | {by['wrong']} |")
    gates = collections.Counter(row["gate"] for row in rows)
    sums.append({"kernel": kernel, "mutants": len(rows), "refused": refused, "same": by["same"],
                 "within tolerance": by["within tolerance"], "wrong": by["wrong"],
                 "refused by comparisons": gates["comparisons"], "refused by unreached": gates["unreached"]})
wrong = [row for row in mutants if row["outcome"] == "passed" and row["decision"] != "same"]
for row in wrong:
    print(f"{row['decision']}: {row['kernel']} {row['original']}: {row['mutation']} "
          f"({row['differing']} of {row['points']} points differ; {row['where']})")
if given.record:
    with open(given.record, "w") as file:
        json.dump({"date": given.date, "gates_version": given.gates, "how": given.how, "rows": sums,
                   "passed": [{key: row[key] for key in ("kernel", "mutation", "decision", "where")} for row in wrong]},
                  file, indent=1)
        file.write("\n")
