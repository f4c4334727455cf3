#!/usr/bin/env python3
"""Of a lean export what a replay needs: python3 bench/slim.py < export.jsonl > slim.jsonl

Seeds, error measures and the words about the method leave the iterations that were not confirmed, and of the arms that a decision
weighed the best four stay, to four digits; the rest is as recorded.
"""
import json
import sys

import export_form


def rounded(row):
    return {name: float(f"{value:.4g}") if isinstance(value, float) else value for name, value in row.items()}


def slimmed(row):
    if row["type"] == "iteration" and row["outcome"] in ("passed", "screened", "abandoned") and not row["confirmed"]:
        row.update(seeds=[], errors=[], method=None)
    if row["type"] == "decision" and row.get("numbers"):
        row["numbers"] = [rounded(each) for each in row["numbers"][:4]]
    return row


header, *rows = map(json.loads, sys.stdin)
kept = [slimmed(row) for row in rows if row["type"] != "end"]
for line in export_form.lines(kept, header["schema"], ensure_ascii=False):
    print(line)
