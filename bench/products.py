#!/usr/bin/env python3
"""Matrix products of models beside cuBLASLt, within seconds each: a table as Markdown, one row a shape.

  python3 bench/products.py --seed 7 [--large 12] [--narrow 24] [--seconds 20] [--store STORE] [--json OUT.json] [--device cuda]
                            [--trust-source] [--harness build/release/harness]
  python3 bench/products.py --seed 7 --list         only names the shapes

The seed draws models from bench/models.txt, a projection of each (queries, keys and values together, or back from the heads), and
rows: 1 to 128 for the narrow ones; for the large ones 2,048 to 8,192, where N and K are at least 2,048, too. On each shape a campaign
of SECONDS from a copy of the store, with all algorithms that cuBLASLt's heuristics offer measured in it. "Share" is the time of the
fastest of them over that of the best found: above 1 we are ahead. OUT.json holds each campaign as it ends; what stands in it is not
made again.
"""
import argparse
import json
import pathlib
import random
import statistics
import tempfile

import models
import unseen


def projection(chance, model):
    heads = model["Hq"] * model["D"]
    if chance.random() < 0.5:
        return "qkv", heads + 2 * model["Hkv"] * model["D"], model["hidden"], ""
    return "o", model["hidden"], heads, " residual=true"


def drawn(chance, known, large):
    while True:
        model = chance.choice(known)
        part, N, K, more = projection(chance, model)
        if large and min(N, K) < 2048:
            continue
        M = chance.choice([2048, 3000, 4096, 6000, 8192] if large else [1, 4, 8, 16, 24, 32, 64, 96, 128])
        shape = f"M={M} N={N} K={K} lda={K} ldb={K} ldd={N} dtype={model['dtype']} out={model['dtype']}{more}"
        return f"{model['model']} {part}, {M} rows", shape


def shapes_of(arguments):
    chance, known = random.Random(f"{arguments.seed} products"), list(models.models(arguments.models))
    shapes = []
    for large in [True] * arguments.large + [False] * arguments.narrow:
        found = drawn(chance, known, large)
        while found in shapes:
            found = drawn(chance, known, large)
        shapes.append(found)
    return shapes


def share(found):
    return found["rival_ns"] / found["time_ns"] if found.get("rival_ns") and found.get("time_ns") else None


def sum_up(kind, rows):
    shares = [share(row) for row in rows if share(row) is not None]
    if shares:
        print(f"{kind}: geometric mean {statistics.geometric_mean(shares):.3f} of {len(shares)} shapes, least {min(shares):.3f}, "
              f"at least 0.98 in {sum(each >= 0.98 for each in shares)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--large", type=int, default=12)
    parser.add_argument("--narrow", type=int, default=24)
    parser.add_argument("--models", default="bench/models.txt")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--store", default="experiments.db")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--trust-source", action="store_true")
    parser.add_argument("--harness", default="build/release/harness")
    arguments = parser.parse_args()
    shapes = shapes_of(arguments)
    if arguments.list:
        for name, shape in shapes:
            print(f"{name}: {shape}")
        return
    done = json.loads(arguments.json.read_text(encoding="utf-8")) if arguments.json and arguments.json.exists() else {}
    print("| shape | ours, us | cuBLASLt, us | share | by | evaluations |\n|---|--:|--:|--:|---|--:|")
    rows = []
    for number, (name, shape) in enumerate(shapes):
        key = f"{shape} {arguments.seconds} s"
        if key not in done:
            with tempfile.TemporaryDirectory() as folder:
                store = pathlib.Path(folder) / "products.db"
                if pathlib.Path(arguments.store).exists():
                    unseen.copy(arguments.store, store)
                done[key] = {"name": name} | unseen.campaign(arguments, "gemm", shape, arguments.seconds, store, arguments.seed + number)
            if arguments.json:
                arguments.json.write_text(json.dumps(done, indent=1) + "\n", encoding="utf-8")
        found = done[key]
        rows.append(found)
        times = [f"{found[of] / 1000:.2f}" if found.get(of) else "-" for of in ("time_ns", "rival_ns")]
        print(f"| {name}: {shape} | {times[0]} | {times[1]} | {unseen.shown(share(found))} | {found['variant']} | {found['searched']} |", flush=True)
    print()
    sum_up("large", rows[:arguments.large])
    sum_up("narrow", rows[arguments.large:])


if __name__ == "__main__":
    main()
