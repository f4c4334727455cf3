#!/usr/bin/env python3
"""The `start` lists of a kernel's manifests, made from what a store has measured.

  python3 bench/starts.py KERNEL [--db STORE] [--device NAME] [--most 3] [--harness build/release/harness]

A list is the favourite first; a campaign begins with the first of it that is valid on its workload. So the first is what is nearest
to the best on all workloads where it passed: the least mean of ln(time / best), a workload where it was not measured counting as
slow as the median there. What follows does better on the workloads where those before it never passed. Parameters that are alike in
all of a variant's configurations are left out.
"""
import argparse
import json
import math
import statistics
import subprocess

MEASURED = """SELECT c.variant, i.workload, c.config, min(i.time_ns) AS time_ns
FROM iteration i JOIN candidate c ON c.id = i.candidate JOIN campaign p ON p.id = i.campaign
WHERE c.kernel = '{}' AND i.outcome IN ('passed', 'screened') AND i.purpose <> 'rival' AND p.device_name LIKE '{}'
GROUP BY c.variant, i.workload, c.config"""


def measured(arguments):
    if "'" in arguments.kernel + arguments.device:
        raise SystemExit("starts.py: a name with a quote is no kernel's and no device's")
    done = subprocess.run([arguments.harness, "query", "--db", arguments.db, "--format", "json",
                           MEASURED.format(arguments.kernel, arguments.device)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"starts.py: {done.stderr.strip()}")
    variants = {}
    for row in json.loads(done.stdout):
        config = row["config"] if isinstance(row["config"], str) else json.dumps(row["config"], sort_keys=True)
        variants.setdefault(row["variant"], {}).setdefault(row["workload"], {})[config] = row["time_ns"]
    return variants


def slowness(times, config):
    """ln(time / best); None where it was not measured."""
    return math.log(times[config] / min(times.values())) if config in times else None


def favourite(workloads):
    def mean(config):
        usual = [math.log(statistics.median(times.values()) / min(times.values())) for times in workloads.values()]
        own = [slowness(times, config) for times in workloads.values()]
        return statistics.mean(slow if mine is None else mine for mine, slow in zip(own, usual))
    return min(sorted({config for times in workloads.values() for config in times}), key=mean)


def starts(workloads, most):
    chosen, left = [], dict(workloads)
    while left and len(chosen) < most:
        chosen.append(favourite(left))
        left = {name: times for name, times in left.items() if chosen[-1] not in times}
    return chosen


def lua(value):
    return json.dumps(value) if isinstance(value, (str, bool)) else str(value)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kernel")
    parser.add_argument("--db", default="experiments.db")
    parser.add_argument("--device", default="%", help="a pattern of SQL's LIKE: NVIDIA H200%%")
    parser.add_argument("--most", type=int, default=3)
    parser.add_argument("--harness", default="build/release/harness")
    arguments = parser.parse_args()
    for variant, workloads in sorted(measured(arguments).items()):
        every = [json.loads(config) for times in workloads.values() for config in times]
        varied = [name for name in sorted(every[0]) if len({json.dumps(config.get(name)) for config in every}) > 1]
        if not varied:
            continue   # one configuration was measured
        chosen = starts(workloads, arguments.most)
        entries = [", ".join(f"{name} = {lua(json.loads(config)[name])}" for name in varied) for config in chosen]
        shown = [f"{workload} {100 * (math.exp(slow) - 1):.0f} %" for workload, times in sorted(workloads.items())
                 for slow in [next((slowness(times, config) for config in chosen if config in times), None)] if slow is not None]
        print(f"-- {variant}: slower than the best that was measured of it: {', '.join(shown)}")
        print("start = { " + ", ".join(f"{{ {entry} }}" for entry in entries) + " },\n")


main()
