#!/usr/bin/env python3
"""Honest candidates evaluated while the machine is busy: how many are refused?

    bench/under_load.py --evaluations 2000 [--load 8] [--cores 2] [--first-core 0] [--campaigns 1] [--longest 300]
                        [--harness build/release/harness] [--trust-source] [KERNELS]

Runs exhaustive campaigns over kernels whose variants are honest, on so many cores (taskset), beside so many processes
that spin; with --campaigns, so many at once, each with a store and a cache of its own. One line of JSON; exit status 1
if any evaluation was refused."""
import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

GOOD = ("passed", "screened", "no_effect", "abandoned", "interrupted", "unsupported")


def campaign(given, cores, folder, seed, seconds):
    """What one campaign's iterations ended with, and those that were refused."""
    outcomes, bad = {}, []
    command = ["taskset", "-c", cores, given.harness, "run", *given.kernels, "--device", "cpu", "--emulated",
               "--strategy", "exhaustive", "--search", "exhaustive", "--seed", str(seed), "--json",
               "--budget", f"{int(seconds)}s", "--db", os.path.join(folder, "x.db")]
    if given.trust_source:
        command.append("--trust-source")
    run = subprocess.run(command, capture_output=True, text=True, check=False,
                         env=dict(os.environ, HARNESS_CACHE=os.path.join(folder, "cache")))
    if run.returncode > 1:
        return outcomes, [{"status": run.returncode, "said": run.stderr[-500:]}]
    for line in run.stdout.splitlines():
        event = json.loads(line)
        if event["event"] != "iteration":
            continue
        outcome = event["outcome"]
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
        if outcome not in GOOD:
            bad.append({key: event[key] for key in ("variant", "workload", "config", "outcome", "error")})
    return outcomes, bad


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("kernels", nargs="*", default=["vector_scale", "softmax"])
    arguments.add_argument("--harness", default="build/release/harness")
    arguments.add_argument("--evaluations", type=int, default=2000)
    arguments.add_argument("--load", type=int, default=8)
    arguments.add_argument("--cores", type=int, default=2)
    arguments.add_argument("--first-core", type=int, default=0)
    arguments.add_argument("--campaigns", type=int, default=1, help="so many at once")
    arguments.add_argument("--longest", type=float, default=86400, help="seconds after which no more are tried")
    arguments.add_argument("--trust-source", action="store_true")
    given = arguments.parse_args()
    folder = tempfile.mkdtemp(prefix="harness-load-")
    mine = sorted(os.sched_getaffinity(0))[given.first_core:given.first_core + given.cores]
    cores = ",".join(map(str, mine))
    spinning = [subprocess.Popen(["taskset", "-c", cores, sys.executable, "-c", "while True: pass"])
                for _ in range(given.load)]
    outcomes, bad, begin, lock = {}, [], time.monotonic(), threading.Lock()

    def leg(number):
        place, turn = os.path.join(folder, str(number)), 0
        os.makedirs(place)
        while not bad and sum(outcomes.values()) < given.evaluations:
            left = given.longest - (time.monotonic() - begin)
            if left < 5:
                return
            turn += 1
            found, refused = campaign(given, cores, place, 1000 * number + turn, left)
            with lock:
                bad.extend(refused)
                for outcome, count in found.items():
                    outcomes[outcome] = outcomes.get(outcome, 0) + count

    try:
        with concurrent.futures.ThreadPoolExecutor(given.campaigns) as pool:
            list(pool.map(leg, range(given.campaigns)))
    finally:
        for process in spinning:
            process.kill()
    shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps({"evaluations": sum(outcomes.values()), "outcomes": outcomes, "refused": bad,
                      "seconds": round(time.monotonic() - begin, 1), "load": given.load, "cores": given.cores,
                      "campaigns": given.campaigns}))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
