#!/usr/bin/env python3
"""Tuning spaces that nobody measured: made by a script, other ones for each seed, in the form of Kernel Tuner's caches.

  bench/made_spaces.py FOLDER --seed 7 [--kinds smooth,rugged,...]     writes FOLDER/KIND_7.json.gz, one a kind

For `harness simulate` and bench/searches.sh. Each kind is hard in one way of its own:

  smooth       times follow from the ranks of the parameters; neighbours resemble each other
  rugged       the same, and each configuration is faster or slower for no reason that shows
  needle       nearly all are alike; one small corner is three times as fast, and only its neighbours hint at it
  plateaus     a few levels, half of the parameters do nothing
  invalid      two of three configurations fail: some by a rule on products of parameters, some by chance
  noisy        smooth, and measured with an error of a tenth
  costly       what is slow is dear: an evaluation costs a hundred times its time; times span three decades
  interacting  products of parameters decide, with steps as a GPU's occupancy has them

The numbers are synthetic. Nothing in them was taken from a recorded space.
"""
import argparse
import gzip
import itertools
import json
import math
import pathlib
import random
import statistics

KINDS = ["smooth", "rugged", "needle", "plateaus", "invalid", "noisy", "costly", "interacting"]
FEWEST = 25  # evaluations until random search is near the optimum; with fewer, luck is all
MOST = 6000  # configurations of a space; of a larger product a random part is valid


def parameters(chance):
    """Names and ascending values: powers of two, short ranges and switches, as kernels have them."""
    made = {}
    for i in range(chance.randint(4, 7)):
        style = chance.choice(["powers", "powers", "range", "switch"])
        if style == "powers":
            low = chance.randint(0, 4)
            values = [1 << (low + k) for k in range(chance.randint(3, 7))]
        elif style == "range":
            step = chance.choice([1, 2, 8])
            values = [step * (k + 1) for k in range(chance.randint(3, 9))]
        else:
            values = [0, 1]
        made[f"p{i}_{style}"] = values
    return made


class Hills:
    """ln(time) as a sum over parameters: a parabola of the rank around a place of its own; and a few products of two."""

    def __init__(self, chance, names, weight=1.0, products=2):
        self.places = {n: (chance.random(), weight * chance.uniform(0.2, 2.5)) for n in names}
        self.products = [(*chance.sample(names, 2), weight * chance.uniform(-0.8, 0.8)) for _ in range(products)]

    def __call__(self, ranks):
        total = sum(weight * (ranks[n] - place) ** 2 for n, (place, weight) in self.places.items())
        return total + sum(weight * (ranks[a] - 0.5) * (ranks[b] - 0.5) for a, b, weight in self.products)


def inert(chance, names, share):
    return set(chance.sample(names, int(share * len(names))))


def landscape(kind, chance, space):
    """A function of (configuration, ranks) to ln(time), or to None where the configuration fails."""
    names = list(space)
    hills = Hills(chance, names)
    if kind == "rugged":
        return lambda config, ranks: hills(ranks) + chance.uniform(-0.7, 0.7)
    if kind == "needle":
        of = chance.sample(names, 4)
        corner = {n: chance.choice(space[n]) for n in of}

        def needle(config, ranks):
            away = sum(config[n] != corner[n] for n in of)
            return 0.05 * hills(ranks) + (0, 0.7, 1.0, 1.08, 1.1)[away]
        return needle
    if kind == "plateaus":
        idle = inert(chance, names, 0.5)
        return lambda config, ranks: math.floor(2 * hills({n: 0.5 if n in idle else r for n, r in ranks.items()})) / 2
    if kind == "invalid":
        a, b = chance.sample(names, 2)
        products = sorted((x or 0.5) * (y or 0.5) for x in space[a] for y in space[b])
        most = products[int(0.6 * (len(products) - 1))]

        def invalid(config, ranks):
            if (config[a] or 0.5) * (config[b] or 0.5) > most or chance.random() < 0.45:
                return None
            return hills(ranks)
        return invalid
    if kind == "noisy":
        return lambda config, ranks: hills(ranks) + chance.gauss(0, 0.1)
    if kind == "interacting":
        triples = [(chance.sample(names, min(3, len(names))), chance.uniform(0.3, 1.5), chance.uniform(0.2, 0.8)) for _ in range(4)]
        top = {n: math.log2(max(space[n]) + 1) for n in names}

        def interacting(config, ranks):
            total = 0.3 * hills(ranks)
            for of, weight, best in triples:
                log = sum(math.log2(config[n] + 1) for n in of) / sum(top[n] for n in of)
                total += weight * abs(math.floor(8 * (log - best)) / 8)
            return total
        return interacting
    return lambda config, ranks: hills(ranks)


def chances(cache):
    """How many evaluations random search is expected to need until one is near the optimum, as harness simulate counts them."""
    times = sorted(row["time"] for row in cache.values() if not isinstance(row["time"], str))
    if not times:
        return 0
    near = times[0] + 0.05 * (statistics.median(times) - times[0])
    slower = sum(time > near for time in times)
    return math.ceil(slower / (len(times) + 1 - slower))


def make(kind, seed):
    """Of the spaces that the seed leads to the first on which there is something to search for."""
    chance = random.Random(f"{kind} {seed}")
    while True:
        made = draw(kind, chance)
        if chances(made["cache"]) >= FEWEST:
            return made


# How many times slower than the fastest the slowest is, where the landscape itself does not say.
SPAN = {"smooth": (4, 60), "rugged": (8, 100), "noisy": (4, 60), "invalid": (4, 60), "costly": (500, 2000)}


def spread(kind, chance, logs):
    """The logarithms stretched to the kind's span."""
    known = [log for log in logs if log is not None]
    if kind not in SPAN or not known:
        return logs
    low, high = min(known), max(known)
    factor = math.log(chance.uniform(*SPAN[kind])) / max(high - low, 1e-9)
    return [None if log is None else (log - low) * factor for log in logs]


def draw(kind, chance):
    space = parameters(chance)
    while math.prod(map(len, space.values())) < 200:
        space = parameters(chance)
    ln_time = landscape(kind, chance, space)
    kept = MOST / math.prod(map(len, space.values()))
    configs = [dict(zip(space, values)) for values in itertools.product(*space.values()) if kept >= 1 or chance.random() < kept]
    ranks = [{n: space[n].index(v) / (len(space[n]) - 1) for n, v in config.items()} for config in configs]
    logs = spread(kind, chance, [ln_time(config, rank) for config, rank in zip(configs, ranks)])
    slowest = max((log for log in logs if log is not None), default=0)
    compiling = chance.uniform(100, 3000)  # ms
    cache = {}
    for config, log in zip(configs, logs):
        row = dict(config, compile_time=compiling * chance.uniform(0.5, 1.5), verification_time=0, benchmark_time=0,
                   strategy_time=0, framework_time=1)
        if log is None:
            row["time"] = chance.choice(["CompilationFailedConfig", "RuntimeFailedConfig"])
        else:
            row["time"] = 50 * math.exp(log - slowest)
            row["benchmark_time"] = (100 if kind == "costly" else 7) * row["time"]
            if kind == "costly":
                row["compile_time"] = 1
        cache[",".join(map(str, config.values()))] = row
    return {"device_name": "made by a script", "kernel_name": kind, "problem_size": [1], "tune_params_keys": list(space),
            "tune_params": space, "objective": "time", "cache": cache}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--kinds", default=",".join(KINDS))
    given = parser.parse_args()
    unknown = set(given.kinds.split(",")) - set(KINDS)
    if unknown:
        parser.error(f"there is no kind '{sorted(unknown)[0]}'; the kinds are {', '.join(KINDS)}")
    given.folder.mkdir(parents=True, exist_ok=True)
    for kind in given.kinds.split(","):
        file = given.folder / f"{kind}_{given.seed}.json.gz"
        with open(file, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as packed:  # the same bytes each time
            packed.write(json.dumps(make(kind, given.seed)).encode())
        print(file)


if __name__ == "__main__":
    main()
