#!/usr/bin/env python3
"""Honest candidates evaluated while the machine is busy: how many are refused?

    bench/under_load.py --evaluations 2000 [--load 8] [--cores 2] [--longest 300] [--harness build/release/harness]

Runs exhaustive campaigns over kernels whose variants are honest, on so many cores (taskset), beside so many processes
that spin. One line of JSON; exit status 1 if any evaluation was refused."""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

GOOD = ("passed", "screened", "no_effect", "abandoned", "interrupted", "unsupported")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("kernels", nargs="*", default=["vector_scale", "softmax"])
    arguments.add_argument("--harness", default="build/release/harness")
    arguments.add_argument("--evaluations", type=int, default=2000)
    arguments.add_argument("--load", type=int, default=8)
    arguments.add_argument("--cores", type=int, default=2)
    arguments.add_argument("--longest", type=float, default=86400, help="seconds after which no more are tried")
    given = arguments.parse_args()
    folder = tempfile.mkdtemp(prefix="harness-load-")
    cores = ",".join(str(core) for core in sorted(os.sched_getaffinity(0))[:given.cores])
    spinning = [subprocess.Popen(["taskset", "-c", cores, sys.executable, "-c", "while True: pass"])
                for _ in range(given.load)]
    outcomes, bad, seed, begin = {}, [], 0, time.monotonic()
    try:
        while sum(outcomes.values()) < given.evaluations:
            left = given.longest - (time.monotonic() - begin)
            if left < 5:
                break
            seed += 1
            run = subprocess.run(["taskset", "-c", cores, given.harness, "run", *given.kernels, "--device", "cpu",
                                  "--strategy", "exhaustive", "--search", "exhaustive", "--seed", str(seed), "--json",
                                  "--budget", f"{int(left)}s", "--db", os.path.join(folder, "x.db")],
                                 capture_output=True, text=True, check=False,
                                 env=dict(os.environ, HARNESS_CACHE=os.path.join(folder, "cache")))
            if run.returncode > 1:
                bad.append({"status": run.returncode, "said": run.stderr[-500:]})
                break
            for line in run.stdout.splitlines():
                event = json.loads(line)
                if event["event"] != "iteration":
                    continue
                outcome = event["outcome"]
                outcomes[outcome] = outcomes.get(outcome, 0) + 1
                if outcome not in GOOD:
                    bad.append({key: event[key] for key in ("variant", "workload", "config", "outcome", "error")})
    finally:
        for process in spinning:
            process.kill()
    shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps({"evaluations": sum(outcomes.values()), "outcomes": outcomes, "refused": bad,
                      "seconds": round(time.monotonic() - begin, 1), "load": given.load, "cores": given.cores}))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
