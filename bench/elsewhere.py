#!/usr/bin/env python3
"""What the record of other workloads is worth on one that nobody has tried: a table as Markdown.

  python3 bench/elsewhere.py [EXPORT.jsonl] [--seeds 10] [--seconds 60] [--harness build/release/harness]

For each workload of a recorded campaign: its evaluations alone are replayed by roi and the search `default`, once from an empty
store and once from a store that holds the evaluations on all the other workloads. How fast the best is then found is told in
seconds of evaluating, until 90 % of the best speed that the record has there, and by the share of it that is reached in time.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

import export_form


def rows_of(file):
    header, *rows = map(json.loads, open(file, encoding="utf-8"))
    return header["schema"], [row for row in rows if row["type"] != "end"]


def only(rows, wanted, uuid):
    """The campaign without the evaluations on workloads that are not wanted."""
    attempts, iterations, kept, seen, results = {}, {}, [], 0, 0
    for row in rows:
        row = dict(row)
        if row["type"] == "campaign":
            row["uuid"] = uuid
            row["options"] = {**row["options"], "workloads": sorted(wanted)}
        elif row["type"] == "attempt":
            seen += 1
            if row["workload"] not in wanted:
                continue
            attempts[seen] = len(attempts) + 1
        elif row["type"] == "iteration":
            results += 1
            if row["attempt"] not in attempts:
                continue
            iterations[results] = len(iterations) + 1
            row["attempt"] = attempts[row["attempt"]]
            same = row.get("same_as")
            row["same_as"] = {**same, "campaign": uuid, "iteration": iterations[same["iteration"]]} if same else None
        elif row["type"] == "charge":   # what was spent outside of evaluations was spent for all workloads
            continue
        kept.append(row)
    walls = sum(row["cost"]["wall_s"] for row in kept if row["type"] == "iteration")
    return [{**row, "spent_s": walls} if row["type"] == "campaign" else row for row in kept]


def write(rows, schema, path):
    path.write_text("".join(line + "\n" for line in export_form.lines(rows, schema)), encoding="utf-8")


def run(harness, *words):
    done = subprocess.run([harness, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"elsewhere.py: {' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout


def curves(arguments, store, campaign, seconds):
    for seed in range(1, arguments.seeds + 1):
        text = run(arguments.harness, "replay", campaign, "--db", store, "--strategy", "roi", "--search", "default", "--seed",
                   seed, "--budget", f"{seconds}s", "--json")
        yield json.loads(text.splitlines()[0])


def found(replays, best, seconds):
    """Medians over the seeds: seconds until 90 % of the best speedup, and the share of it that is reached in time."""
    times, shares = [], []
    for replay in replays:
        overhead = replay["overhead_s"]
        points = [(at - overhead, score) for at, score in replay["replayed"]["curve"]]
        times.append(min((at for at, score in points if score >= 0.9 * best), default=float("inf")))
        shares.append(max((score for at, score in points if at <= seconds), default=0) / best)
    return statistics.median(times), statistics.median(shares), min(shares)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("export", nargs="?", default="bench/h200/from_nothing.jsonl")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--harness", default="build/release/harness")
    arguments = parser.parse_args()
    schema, rows = rows_of(arguments.export)
    technique = {}
    speedups = {}
    count = 0
    for row in rows:
        if row["type"] == "attempt":
            count += 1
            technique[count] = row
        elif row["type"] == "iteration" and row["outcome"] == "passed" and row["speedup"]:
            attempt = technique[row["attempt"]]
            if attempt["purpose"] != "rival":
                speedups.setdefault(attempt["workload"], []).append(row["speedup"])
    print(f"{arguments.seeds} seeds, medians; of the best recorded speed on that workload, in the first {arguments.seconds} s "
          "of evaluating\n")
    print("| workload | s to 90 %, empty store | with the others' record | share in time, empty store | worst | with the others' "
          "record | worst |\n|---|--:|--:|--:|--:|--:|--:|")
    for workload in sorted(speedups):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            write(only(rows, set(speedups) - {workload}, "0" * 31 + "1"), schema, folder / "others.jsonl")
            write(only(rows, {workload}, "0" * 31 + "2"), schema, folder / "this.jsonl")
            run(arguments.harness, "import", folder / "this.jsonl", "--db", folder / "empty.db")
            run(arguments.harness, "import", "--as-evidence", folder / "others.jsonl", "--db", folder / "full.db")
            run(arguments.harness, "import", folder / "this.jsonl", "--db", folder / "full.db")
            best = max(speedups[workload])
            cells = []
            for store, campaign in (("empty.db", 1), ("full.db", 2)):
                cells.append(found(curves(arguments, folder / store, campaign, 2 * arguments.seconds + 120), best,
                                   arguments.seconds))
            (alone_s, alone, alone_worst), (told_s, told, told_worst) = cells
            print(f"| {workload} | {alone_s:.0f} | {told_s:.0f} | {alone:.2f} | {alone_worst:.2f} | {told:.2f} | {told_worst:.2f} |",
                  flush=True)


main()
