#!/usr/bin/env python3
# What a campaign on a GPU gains from predictions made before its first measurement (docs/profile.md): the real loop and
# search on a record of every configuration, with times that are known, once without and once with a start that counting
# predicted. Counted are the evaluations until one lies within 5 % of the best of the whole recorded space.
#   bench/predicted_starts.py HARNESS RECORD.jsonl PREDICTED.jsonl... [--seeds N] [--after N]
# RECORD: an export, such as bench/h200/space_s128.jsonl. PREDICTED: what `bench/counts.py recorded HARNESS RECORD
# --each 12 --seed S --out FILE` wrote; each file is one draw, as a campaign draws 12 of an arm. The campaign is told after
# N evaluations (default: 0, before the first). `start` lists of authors are left out but in the column that says so.
import argparse, json, os, pathlib, re, shutil, statistics, subprocess, tempfile

import export_form

TOLD_AT_LEAST = 4   # predictions of an arm, as in a campaign
WITHIN = 1.05


def without_starts(text):
    """A manifest whose author says nothing of where to begin."""
    at = re.search(r"^  start = \{", text, re.MULTILINE)
    if not at: return text
    depth, end = 0, at.end() - 1
    while True:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
        if depth == 0: break
    return text[:at.start()] + text[end:].lstrip(",\n")


def home_without_starts(folder):
    for part in ("kernels", "strategies", "playbook"): shutil.copytree(part, folder / part)
    for manifest in folder.glob("kernels/*/variants/*.lua"):
        text = manifest.read_text(encoding="utf-8")
        manifest.write_text(without_starts(text), encoding="utf-8")
    return folder


def rows_of(path):
    lines = [json.loads(line) for line in open(path, encoding="utf-8")]
    return lines[0]["schema"], [row for row in lines[1:] if row.get("type") not in (None, "end")]


def evaluations(rows):
    """(attempt, iteration) of what a search asked for, a rival or a baseline apart."""
    attempts = [row for row in rows if row["type"] == "attempt"]
    for row in rows:
        if row["type"] == "iteration" and row.get("outcome") == "passed" and row.get("speedup"):
            yield attempts[row["attempt"] - 1], row


def starts_of(files, techniques, after):
    """By file: the starts of each variant, as a campaign would have recorded them."""
    for name in files:
        arms = {}
        for line in open(name, encoding="utf-8"):
            row = json.loads(line)
            if "config" in row and "predicted_ns" in row: arms.setdefault((row["kernel"], row["workload"], row["variant"]), []).append(row)
        yield {key: {"arm": {"kernel": key[0], "workload": key[1], "technique": techniques[key[0], key[2]]}, "gpu": "H200",
                     "after": after, "begins": after == 0,
                     "points": [{"variant": key[2], "config": row["config"], "ns": row["predicted_ns"]}
                                for row in sorted(found, key=lambda each: each["predicted_ns"])]}
               for key, found in arms.items() if len(found) >= TOLD_AT_LEAST}


class Bench:
    def __init__(self, arguments, folder):
        self.harness, self.folder = os.path.abspath(arguments.harness), folder
        self.schema, self.rows = rows_of(arguments.record)
        self.plain = home_without_starts(folder / "plain")

    def tries(self, variants, predicted, seed, strategy, best, authored=False):
        """Evaluations by searches until one is within 5 % of the best; None: never."""
        record = self.folder / "record.jsonl"
        rows = [{**row, "options": {**row["options"], "variants": variants, "predicted": predicted,
                                           "goal_speedup": best / WITHIN}}
                if row["type"] == "campaign" else row for row in self.rows]
        record.write_text("".join(line + "\n" for line in export_form.lines(rows, self.schema)), encoding="utf-8")
        home = os.getcwd() if authored else str(self.plain)
        done = subprocess.run([self.harness, "replay", str(record), "--strategy", strategy, "--search", "default", "--seed", str(seed),
                               "--json"], capture_output=True, text=True, env={**os.environ, "HARNESS_HOME": home}, check=False)
        if done.returncode: raise SystemExit(f"predicted_starts.py: {done.stderr.strip()}")
        curve = json.loads(done.stdout.splitlines()[0])["replayed"]["curve"]
        # The first point is the beginning, the second the baseline.
        return next((i - 1 for i, point in enumerate(curve) if point[1] * WITHIN >= best), None)


def shown(tries):
    known = [t for t in tries if t is not None]
    missed = len(tries) - len(known)
    return (f"{statistics.mean(known):.1f}" if known else "-") + (f" ({missed} never)" if missed else "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("harness")
    parser.add_argument("record")
    parser.add_argument("predicted", nargs="+")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--after", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(arguments, pathlib.Path(name))
        best, size, techniques = {}, {}, {}
        for attempt, row in evaluations(bench.rows):
            key = attempt["kernel"], attempt["workload"], attempt["variant"]
            techniques[key[0], key[2]] = attempt["technique"]
            best[key] = max(best.get(key, 0), row["speedup"])
            size[key] = size.get(key, 0) + 1
        drawn = list(starts_of(arguments.predicted, techniques, arguments.after))
        seeds = range(1, arguments.seeds + 1)
        print(f"evaluations until within 5 % of the best, means over {arguments.seeds} seeds and {len(drawn)} draws; "
              f"told after {arguments.after}")
        print("| arm | configurations | nothing known | predicted | authors' start |\n|---|--:|--:|--:|--:|")
        sums = [[], [], []]
        for key in sorted({key for draw in drawn for key in draw}):
            of = [draw[key] for draw in drawn if key in draw]
            plain = [bench.tries([key[2]], [], seed, "exhaustive", best[key]) for seed in seeds]
            told = [bench.tries([key[2]], [start], seed, "exhaustive", best[key]) for start in of for seed in seeds]
            authored = [bench.tries([key[2]], [], seed, "exhaustive", best[key], True) for seed in seeds]
            print(f"| {key[2]} | {size[key]} | {shown(plain)} | {shown(told)} | {shown(authored)} |", flush=True)
            for total, tries in zip(sums, (plain, told, authored)):
                total.append(statistics.mean([t if t is not None else size[key] for t in tries]))
        print(f"| all | | {sum(sums[0]):.1f} | {sum(sums[1]):.1f} | {sum(sums[2]):.1f} |")
        variants = sorted({key[2] for draw in drawn for key in draw})
        most = max(value for key, value in best.items() if key[2] in variants)
        plain = [bench.tries(variants, [], seed, "roi", most) for seed in seeds]
        told = [bench.tries(variants, sorted(draw.values(), key=lambda start: start["after"]), seed, "roi", most)
                for draw in drawn for seed in seeds]
        authored = [bench.tries(variants, [], seed, "roi", most, True) for seed in seeds]
        print(f"| these arms at once, led by roi | | {shown(plain)} | {shown(told)} | {shown(authored)} |")


if __name__ == "__main__":
    main()
