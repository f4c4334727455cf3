#!/usr/bin/env python3
"""Fills the device columns of docs/hostile.md from what `harness eval --json` said of each hostile variant:
    bench/hostile_table.py CPU.jsonl H200.jsonl
A file may be missing ("-"): its column stays as it is."""
import json
import sys

DOCUMENT = "docs/hostile.md"


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


columns = {"cpu": verdicts(sys.argv[1]), "H200": verdicts(sys.argv[2])}
header, lines = [], []
for line in open(DOCUMENT):
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    if line.startswith("| entry"):
        header = cells
    elif line.startswith("|") and header and not line.startswith("|---"):
        variant = next((cell.strip("`") for cell in cells if "/" in cell and cell.startswith("`")), "")
        for device, known in columns.items():
            if device in header and variant in known:
                cells[header.index(device)] = known[variant]
        line = "| " + " | ".join(cells) + " |\n"
    elif not line.startswith("|"):
        header = []
    lines.append(line)
open(DOCUMENT, "w").write("".join(lines))
