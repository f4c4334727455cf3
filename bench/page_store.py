#!/usr/bin/env python3
"""page_store.py FROM.db TO.db [ROWS]: a store to try the live page on, with ROWS iterations (1,000,000).

The campaigns of FROM are copied again and again, with times that differ a little; one in eight attempts fails in one of
the ways that attempts fail in. Nothing of it was measured: it is for timing the page alone.
"""
import random
import shutil
import sqlite3
import sys

FAILURES = [("wrong_answer", "gate:relative-l2", "y: relative L2 0.31, tolerance 2e-3"),
            ("rejected", "source-policy", "reads the clock <script>alert(1)</script>"),
            ("crashed", "illegal_address", "CUDA_ERROR_ILLEGAL_ADDRESS"), ("timed_out", "deadline", "no answer for 60 s"),
            ("compile_error", "compile", "error: identifier \"tile\" is undefined"), ("no_effect", None, None)]
ATTEMPT = "campaign, decision, candidate, workload, ask, purpose, begun_unix"
SKIPPED = {"id", "attempt", "campaign", "ended_unix", "outcome", "time_ns", "time_lo_ns", "time_hi_ns", "speedup", "error",
           "error_class", "error_message", "confirmed"}


def copy_campaign(db, draw, source, columns, rows, number):
    begun = 1_700_000_000 + number * 7200
    campaign = db.execute(
        "INSERT INTO campaign (uuid, name, device, device_name, strategy, strategy_hash, search, seed, budget_s, kernels,"
        " options, started_unix, ended_unix, reason, spent_s, cost_usd, imported, evidence)"
        " SELECT ?, 'nightly ' || ?, device, device_name, strategy, strategy_hash, search, seed, budget_s, kernels, options, ?,"
        " ?, 'budget', spent_s, cost_usd, 1, 1 FROM campaign WHERE id = ?",
        (f"page{number}", number, begun, begun + 1400, source)).lastrowid
    better = 0.97 ** (number / 20)
    for at, row in enumerate(rows):
        attempt = db.execute(f"INSERT INTO attempt ({ATTEMPT}) VALUES (?, NULL, ?, ?, ?, ?, ?)",
                             (campaign, row["candidate"], row["workload"], at, row["purpose"], begun + at)).lastrowid
        fails = row["purpose"] == "search" and draw.random() < 0.125
        outcome, kind, message = draw.choice(FAILURES) if fails else (row["outcome"], None, None)
        factor = better * draw.uniform(1, 1.05)
        own = {"attempt": attempt, "campaign": campaign, "ended_unix": begun + at + 1, "outcome": outcome, "confirmed": 0,
               "error_class": kind, "error_message": message}
        for name in ("time_ns", "time_lo_ns", "time_hi_ns"):
            own[name] = None if fails or row[name] is None else row[name] * factor
        own["speedup"] = None if fails or row["speedup"] is None else row["speedup"] / factor
        values = [row[name] for name in columns] + list(own.values())
        names = ", ".join(list(columns) + list(own))
        db.execute(f"INSERT INTO iteration ({names}) VALUES ({', '.join('?' * len(values))})", values)
    return len(rows)


def main():
    source, target = sys.argv[1:3]
    wanted = int(sys.argv[3]) if len(sys.argv) > 3 else 1_000_000
    shutil.copy(source, target)
    db = sqlite3.connect(target)
    db.row_factory = sqlite3.Row
    db.execute("PRAGMA synchronous = OFF")
    draw = random.Random(1)
    columns = [c[1] for c in db.execute("PRAGMA table_info(iteration)") if c[1] not in SKIPPED]
    rows = db.execute("SELECT * FROM iteration WHERE campaign = 2 ORDER BY id").fetchall()
    made = db.execute("SELECT count(*) FROM iteration").fetchone()[0]
    number = 0
    while made < wanted:
        number += 1
        many = rows if number != 1 else rows * max(1, wanted // 10 // len(rows))   # the first is large
        made += copy_campaign(db, draw, 2, columns, many, number)
        db.commit()
    print(f"{target}: {made} iterations in {number + 2} campaigns")


if __name__ == "__main__":
    main()
