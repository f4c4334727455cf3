#!/usr/bin/env python3
"""CPU seconds of each answer of `harness eval softmax --lines` on the cpu device, from an empty store and cache.

    bench/fitness_cpu.py HARNESS

The first answer has the trial of the gates and the baseline in it. CPU seconds are those of the process and of all
that it started.
"""
import json
import os
import subprocess
import sys
import tempfile

LINES = [("00_naive", {"BLOCK": 64}), ("10_warp_row", {"BLOCK": 128}), ("30_registers", {"THREADS": 128}),
         ("30_registers", {"THREADS": 64}), ("20_online", {"THREADS": 64}), ("20_online", {"THREADS": 128, "VEC": 4}),
         ("30_registers", {"THREADS": 128})]


def cpu_seconds(root):
    """Of a process and its descendants, those included that were waited for."""
    parents, seconds = {}, {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        parents[int(entry)] = int(fields[1])
        seconds[int(entry)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def is_below(process):
        while process != root and process in parents:
            process = parents[process]
        return process == root

    return sum(value for process, value in seconds.items() if is_below(process))


def main():
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.argv[1], "eval", "softmax", "--lines", "--reuse", "--workload", "m64n512_bf16", "--device", "cpu",
                   "--db", os.path.join(folder, "store.db")]
        asked = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                 env=os.environ | {"HARNESS_CACHE": os.path.join(folder, "cache")})
        before = 0
        print("| variant | parameters | outcome | score | CPU s |\n|---|---|---|--:|--:|")
        for variant, params in LINES:
            asked.stdin.write(json.dumps({"variant": variant, "params": params}) + "\n")
            asked.stdin.flush()
            answer = json.loads(asked.stdout.readline())
            after = cpu_seconds(asked.pid)
            outcome = answer["outcome"] + (", recorded" if answer["evaluations"][0]["from_record"] else "")
            values = " ".join(f"{name}={value}" for name, value in params.items())
            print(f"| {variant} | {values} | {outcome} | {answer['score']:.3g} | {after - before:.2f} |", flush=True)
            before = after
        asked.stdin.close()
        asked.wait()


main()
