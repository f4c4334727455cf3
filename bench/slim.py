#!/usr/bin/env python3
"""Of a lean export what a replay needs: python3 bench/slim.py < export.jsonl > slim.jsonl

Seeds, error measures and the words about the method leave the iterations that passed; the rest is as recorded.
"""
import json
import sys

for line in sys.stdin:
    row = json.loads(line)
    if row.get("type") == "iteration" and row["outcome"] in ("passed", "abandoned") and not row["confirmed"]:
        row.update(seeds=[], errors=[], method=None)
    print(json.dumps(row, separators=(",", ":"), ensure_ascii=False))
