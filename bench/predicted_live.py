#!/usr/bin/env python3
"""What predictions before the first measurement are worth on a GPU (docs/profile.md): campaigns on shapes that SEED draws, from empty
stores, with `--predict off` and `--predict auto` by turns, of kernels whose manifests say nothing of where to begin.

    bench/predicted_live.py HARNESS [--seed 1] [--shapes attention,attention,softmax] [--device cuda] [--seconds 40] [--out FILE] [-- OPTIONS OF run]

Counted are searches' evaluations and seconds until one lies within 5 % of the best that either campaign found. One cache of builds for
each campaign, empty at first. Prints a table; FILE gets a line of JSON a campaign."""
import argparse, json, os, pathlib, random, sqlite3, subprocess, sys, tempfile, time

import predicted_starts
import unseen

WITHIN = predicted_starts.WITHIN
GOOD = ("passed", "screened")


def campaign(given, home, kernel, shape, predict, folder):
    folder.mkdir()
    command = [os.path.abspath(given.harness), "run", kernel, "--workload", shape, "--device", given.device, "--budget", f"{given.seconds}s",
               "--predict", predict, "--seed", str(given.seed), "--json", "--db", str(folder / "x.db"), *given.more]
    begin, tries = time.monotonic(), []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=open(folder / "err.txt", "w"), text=True,
                          env={**os.environ, "HARNESS_HOME": str(home), "HARNESS_CACHE": str(folder / "cache")}) as process:
        for line in process.stdout:
            event = json.loads(line)
            if event.get("event") != "iteration" or event.get("purpose") != "search" or event["outcome"] == "no_effect": continue
            ns = event.get("time_ns") if event["outcome"] in GOOD else None
            tries.append((round(time.monotonic() - begin, 2), ns, event["variant"]))
    with sqlite3.connect(folder / "x.db") as store: stored = store.execute("SELECT options FROM campaign").fetchone()[0]
    predicted = json.loads(stored).get("predicted", [])
    return {"kernel": kernel, "shape": shape, "predict": predict, "status": process.returncode, "tries": tries,
            "predicted_arms": len(predicted), "predicted_after": [start.get("after") for start in predicted],
            "said": (folder / "err.txt").read_text()[-300:] if process.returncode > 1 else ""}


def until(row, best):
    """(evaluations, seconds) until one was near the best; None: never."""
    return next(((n, at) for n, (at, ns, _) in enumerate(row["tries"], 1) if ns and ns <= WITHIN * best), None)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("harness")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shapes", default="attention,attention,softmax", help="kernels, one drawn shape for each")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seconds", type=int, default=40)
    parser.add_argument("--out")
    words = sys.argv[1:] + ["--"]
    given = parser.parse_args(words[:words.index("--")])
    given.more = words[words.index("--") + 1:-1]   # further options of the program
    chance, rows = random.Random(given.seed), []
    print(f"within 5 % of the best that either found in {given.seconds} s: evaluations (seconds from the command)\n")
    print("| kernel, shape | best | nothing known | predicted | arms predicted, after evaluations |\n|---|--:|--:|--:|---|")
    with tempfile.TemporaryDirectory() as name:
        top = pathlib.Path(name)
        home = top / "home"
        home.mkdir()
        predicted_starts.home_without_starts(home)
        for number, kernel in enumerate(given.shapes.split(",")):
            shape = unseen.DRAWN[kernel](chance, given.device.startswith("cpu"))
            order = ["off", "auto"] if number % 2 == 0 else ["auto", "off"]
            pair = {predict: campaign(given, home, kernel, shape, predict, top / f"{number}_{predict}") for predict in order}
            found = [ns for row in pair.values() for _, ns, _ in row["tries"] if ns]
            best = min(found, default=None)
            said = ["-" if not best or not (near := until(pair[predict], best)) else f"{near[0]} ({near[1]} s)" for predict in ("off", "auto")]
            told = pair["auto"]
            print(f"| {kernel} {shape} | {best and round(best / 1000, 2)} us | {said[0]} of {len(pair['off']['tries'])} | {said[1]} of "
                  f"{len(told['tries'])} | {told['predicted_arms']}: {told['predicted_after']} |", flush=True)
            for row in pair.values():
                if row["said"]: print(f"  {row['predict']}: {row['said']}")
                rows.append({**row, "best_ns": best, "near": until(row, best) if best else None})
            if given.out: pathlib.Path(given.out).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
