#!/usr/bin/env python3
"""Do the winners of earlier records still pass the gates?

    bench/winners_again.py [--device cpu] [--workload NAME] [--most N] [--harness build/release/harness]
                           [EXPORT.jsonl ...]

Of each export (default: those of bench/h200 and bench/records) and each workload it takes the fastest recorded passed
candidate, and evaluates each variant with its parameters once, as it is in this tree, with all gates. A record's
workloads are large; --workload names the one where the gates are met on the cpu device. Variants that this tree does
not hold are named as such. One JSON line a candidate, the sums last; exit status 1 if one was refused."""
import argparse
import collections
import glob
import json
import os
import subprocess
import sys

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--device", default="cpu")
parser.add_argument("--workload", default="")
parser.add_argument("--most", type=int, default=0, help="so many candidates at most; 0: all")
parser.add_argument("--harness", default="build/release/harness")
parser.add_argument("exports", nargs="*")
given = parser.parse_args()
exports = given.exports or sorted(glob.glob("bench/h200/*.jsonl") + glob.glob("bench/records/*.jsonl"))


def winners(name):
    """(kernel, variant, configuration as text) of the fastest passed candidate of each workload."""
    rows = [json.loads(line) for line in open(name)]
    if not rows or "harness_export" not in rows[0]:
        return []
    attempts = [row for row in rows if row.get("type") == "attempt"]
    best = {}
    for row in rows:
        if row.get("type") != "iteration" or row["outcome"] != "passed" or not row["time_ns"]:
            continue
        attempt = attempts[row["attempt"] - 1]
        arm = (attempt["kernel"], attempt["workload"])
        if arm not in best or row["time_ns"] < best[arm][0]:
            best[arm] = (row["time_ns"], attempt["variant"], json.dumps(attempt["config"], sort_keys=True))
    return [(kernel, variant, config) for (kernel, _), (_, variant, config) in best.items()]


tried, sums = set(), collections.Counter()
for export in exports:
    for kernel, variant, config in winners(export):
        if (kernel, variant, config) in tried or (given.most and len(tried) >= given.most):
            continue
        tried.add((kernel, variant, config))
        line = {"export": os.path.basename(export), "kernel": kernel, "variant": variant, "config": json.loads(config)}
        if not os.path.exists(f"kernels/{kernel}/variants/{variant}.lua"):
            line["outcome"] = "not in this tree"
        else:
            command = [given.harness, "eval", kernel, variant, "--device", given.device, "--json", "--no-record"]
            for key, value in json.loads(config).items():
                command += ["-p", f"{key}={str(value).lower() if isinstance(value, bool) else value}"]
            if given.workload:
                command += ["--workload", given.workload]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            answers = [json.loads(text) for text in run.stdout.splitlines() if text.startswith("{")]
            line["outcome"] = answers[0].get("outcome", "?") if answers else "?"
            failed = [gate for gate in (answers[0].get("gates") or []) if gate["passed"] is False] if answers else []
            if failed:
                line["gate"], line["detail"] = failed[0]["name"], failed[0]["detail"][:400]
            if not answers:
                line["said"] = run.stderr[-300:]
        sums[line["outcome"]] += 1
        print(json.dumps(line), flush=True)
print(json.dumps({"sums": sums}))
refused = ("wrong_answer", "crashed", "rejected", "timed_out", "compile_error", "launch_error")
sys.exit(1 if any(sums[outcome] for outcome in refused) else 0)
