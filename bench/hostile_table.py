#!/usr/bin/env python3
"""Writes what `harness eval --json` said of each hostile variant into `seen` of tests/hostile/expectations.json:
    bench/hostile_table.py CPU.jsonl H200.jsonl
A file may be missing ("-"): what was seen there stays as it is. The tables of docs/hostile.md are made from that file
(HARNESS_APPROVE=1 ./bootstrap test core)."""
import json
import sys


def verdicts(path):
    """variant -> what stopped it, in the words of the table."""
    found = {}
    if path == "-":
        return found
    for line in open(path):
        row = json.loads(line)
        failed = [gate["name"] for gate in row["gates"] if gate["passed"] is False]
        if row["outcome"] == "passed":
            text = f"no gain ({row['time_ns'] / 1e3:.0f} us)"
        else:
            text = row["outcome"] + (f": `{failed[0]}`" if failed else "")
        found[f"{row['kernel']}/{row['variant']}"] = text
    return found


RECORD = "tests/hostile/expectations.json"
rows = json.load(open(RECORD))
for device, known in {"cpu": verdicts(sys.argv[1]), "H200": verdicts(sys.argv[2])}.items():
    for row in rows:
        variant = f"{row['kernel']}/{row['variant']}"
        if variant in known:
            row["seen"][device] = known[variant]
text = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows)
open(RECORD, "w").write(f"[\n{text}\n]\n")
