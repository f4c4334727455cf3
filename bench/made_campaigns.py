#!/usr/bin/env python3
"""Campaigns that nobody led: made by a script, other ones for each seed, every configuration of every arm in them.

  bench/made_campaigns.py FOLDER --seed 7       writes FOLDER/7/WORKLOAD.json.gz and prints the record's name

A campaign is a kernel on a few workloads, each a file in the form of Kernel Tuner's caches; the parameter `method` says which
arm a configuration belongs to (bench/recorded_campaign.h). strategies_bench and `bench/strategies.sh made` replay it. Drawn anew
for each seed:

  gain      of a technique; of a technique on one workload alone; and how far tuning takes it
  cost      seconds of an evaluation: a workload's, times a technique's
  failures  of a technique: a share of its configurations at random, and for one in eight all of them
  tuning    two or three parameters, a hill over their ranks, and a little ruggedness

The numbers are synthetic. Nothing in them was taken from a recorded campaign.
"""
import argparse
import gzip
import itertools
import json
import math
import pathlib
import random

EVALUATIONS = 150  # that the budget pays for, at the mean cost


class Technique:
    def __init__(self, chance, number):
        self.number = number
        self.gain = chance.gauss(0, 0.5)
        self.cost = math.exp(chance.gauss(0, 0.4))
        self.fails = 1.0 if chance.random() < 1 / 8 else chance.choice([0, 0, 0.1, 0.3, 0.6])
        self.reach = chance.uniform(0.1, 1.5)  # of ln(time), between its slowest configuration and its fastest
        self.rugged = chance.uniform(0, 0.15)
        self.values = [chance.randint(3, 7) for _ in range(chance.randint(2, 3))]
        self.top = [chance.random() for _ in self.values]

    def configs(self):
        return itertools.product(*map(range, self.values))

    def away(self, config):
        """0 at the top of its hill, about 1 at the foot."""
        ranks = [place / (count - 1) for place, count in zip(config, self.values)]
        return sum((rank - top) ** 2 for rank, top in zip(ranks, self.top)) / len(ranks)


def workload(chance, techniques, scale, cost):
    """A cache: ln(time) of each configuration from the technique's gain, the workload's own part of it and the tuning."""
    cache = {}
    for technique in techniques:
        own = chance.gauss(0, 0.3)
        for config in technique.configs():
            padded = list(config) + [0] * (3 - len(config))
            row = {"method": technique.number, **{f"p{i}": place for i, place in enumerate(padded)}, "compile_time": 0,
                   "verification_time": 0, "strategy_time": 0, "framework_time": 0,
                   "benchmark_time": 1000 * cost * technique.cost * chance.uniform(0.8, 1.25)}
            log = -technique.gain - own + technique.reach * technique.away(config) + chance.gauss(0, technique.rugged)
            row["time"] = "RuntimeFailedConfig" if chance.random() < technique.fails else scale * math.exp(log)
            cache[",".join(map(str, [technique.number, *padded]))] = row
    return cache


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, required=True)
    given = parser.parse_args()
    chance = random.Random(f"campaign {given.seed}")
    folder = given.folder / str(given.seed)
    folder.mkdir(parents=True, exist_ok=True)
    techniques = [Technique(chance, number) for number in range(1, 1 + chance.randint(4, 10))]
    if all(technique.fails == 1 for technique in techniques):
        techniques[0].fails = 0
    names = {"method": [t.number for t in techniques], **{f"p{i}": list(range(7)) for i in range(3)}}
    files, seconds = [], []
    for number in range(1, 1 + chance.randint(2, 6)):
        cost = math.exp(chance.uniform(math.log(0.2), math.log(10)))
        cache = workload(chance, techniques, math.exp(chance.uniform(-4, 4)), cost)
        seconds += [row["benchmark_time"] / 1000 for row in cache.values()]
        files.append(folder / f"w{number}.json.gz")
        made = {"device_name": "made by a script", "kernel_name": "made", "problem_size": [number], "tune_params_keys": list(names),
                "tune_params": names, "objective": "time", "cache": cache}
        with open(files[-1], "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as packed:  # the same bytes each time
            packed.write(json.dumps(made).encode())
    budget = EVALUATIONS * sum(seconds) / len(seconds)
    print(f"made_{given.seed}@{budget:.0f}@made:method=" + ",".join(map(str, files)))


if __name__ == "__main__":
    main()
