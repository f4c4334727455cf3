#!/usr/bin/env python3
"""Evaluations a minute on the cpu device, from the command on: of one program, or of several by turns.

    bench/cpu_rate.py [--kernel softmax] [--budget 60s] [--cores 0,1] [--rounds 1] [--searches random,default]
                      [--strategies roi] [--caches cold,warm] [--devices cpu,cpu:H200] HARNESS...

Each HARNESS is a build's program (build/release/harness); its kernels are those of its own project. For each strategy and search, and
by turns, each program runs `harness run KERNEL` on the devices ("cpu:H200" predicts times where "cpu" emulates them) and cores named, with an empty HOME, HARNESS_CACHE and store: that is
"cold". "warm" is the same once more with the cache that the cold run filled, and an empty store.

Columns: evaluations (iterations recorded, whatever their outcome, `no_effect` left out), wall seconds of the command, evaluations a
minute of them, CPU seconds an evaluation (all processes), the seconds from the command to the first evaluation's end and to the first
that a search asked for, and the seconds by stage as `harness cost --by stage` has them. Nothing else should run on the machine: where
something does, CPU seconds say more than wall seconds. The last line is JSON.
"""
import argparse
import ctypes
import itertools
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

PR_SET_CHILD_SUBREAPER = 36


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def reap():
    """Processes that outlived their parents: their CPU seconds count once they are waited for."""
    try:
        while os.waitpid(-1, 0):
            pass
    except ChildProcessError:
        pass


def stages(harness, store):
    done = subprocess.run([harness, "cost", "--by", "stage", "--json", "--db", store], capture_output=True, text=True, check=False)
    return {row["stage"]: round(row["seconds"], 2) for row in json.loads(done.stdout or "[]")}


def predicts_by_default(harness):
    return "--emulated" in subprocess.run([harness, "run", "--help"], capture_output=True, text=True, check=False).stdout


def run(given, harness, device, strategy, search, folder, cache):
    """One campaign: what it did, as a row."""
    os.makedirs(folder)
    store = os.path.join(folder, "x.db")
    command = ["taskset", "-c", given.cores, harness, "run", given.kernel, "--device", device, "--budget", given.budget,
               "--strategy", strategy, "--search", search, "--seed", "1", "--json", "--db", store]
    if device == "cpu" and predicts_by_default(harness):
        command.append("--emulated")
    environment = {"PATH": os.environ["PATH"], "HOME": folder, "HARNESS_CACHE": cache, "LANG": "C.UTF-8"}
    used, begin = cpu_seconds(), time.monotonic()
    first = first_search = None
    evaluations, outcomes = 0, {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment, cwd=folder) as process:
        for line in process.stdout:
            now = time.monotonic() - begin
            event = json.loads(line)
            if event.get("event") != "iteration":
                continue
            outcomes[event["outcome"]] = outcomes.get(event["outcome"], 0) + 1
            if event["outcome"] == "no_effect":
                continue
            evaluations += 1
            first = first or now
            if event["purpose"] == "search":
                first_search = first_search or now
    wall = time.monotonic() - begin
    reap()
    used = cpu_seconds() - used
    return {"harness": harness, "device": device, "strategy": strategy, "search": search, "status": process.returncode, "evaluations": evaluations,
            "wall_s": round(wall, 2), "a_minute": round(60 * evaluations / wall, 1), "cpu_s": round(used, 2),
            "cpu_s_each": round(used / max(1, evaluations), 3), "first_s": first and round(first, 2),
            "first_search_s": first_search and round(first_search, 2), "outcomes": outcomes, "stages": stages(harness, store)}


def shown(row):
    stages_s = ", ".join(f"{name} {seconds}" for name, seconds in row["stages"].items())
    return (f"{row['harness']} {row['device']} {row['strategy']} {row['search']} {row['cache']}: {row['evaluations']} evaluations in {row['wall_s']} s, "
            f"{row['a_minute']} a minute, {row['cpu_s_each']} CPU s each; first {row['first_s']} s, first of a search "
            f"{row['first_search_s']} s; {stages_s}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("harness", nargs="+")
    parser.add_argument("--kernel", default="softmax")
    parser.add_argument("--budget", default="60s")
    parser.add_argument("--cores", default="0,1")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--searches", default="random,default")
    parser.add_argument("--strategies", default="roi")
    parser.add_argument("--caches", default="cold,warm")
    parser.add_argument("--devices", default="cpu")
    given = parser.parse_args()
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    rows = []
    with tempfile.TemporaryDirectory(prefix="harness-rate-") as top:
        for turn in range(given.rounds):
            for strategy in given.strategies.split(","):
                for search in given.searches.split(","):
                    for harness, device in itertools.product(map(os.path.abspath, given.harness), given.devices.split(",")):
                        place = os.path.join(top, str(len(rows)))
                        for cache in given.caches.split(","):
                            row = run(given, harness, device, strategy, search, os.path.join(place, cache), os.path.join(place, "cache"))
                            row["cache"], row["round"] = cache, turn
                            rows.append(row)
                            print(shown(row), flush=True)
                        shutil.rmtree(place, ignore_errors=True)
    print(json.dumps(rows))


if __name__ == "__main__":
    sys.exit(main())
