#!/usr/bin/env python3
"""A good kernel on the shapes of models, within a minute: a table as Markdown, one row a shape.

  python3 bench/models.py --issue [--seconds 40] [--device cuda] [--store experiments.db] [--json OUT.json] [--keep FOLDER]
                          [--harness build/release/harness] [--trust-source]
  python3 bench/models.py --seed 7 [--shapes 40] ...          shapes that the seed draws from bench/models.txt
  python3 bench/models.py --seed 7 --part 2/4 --device cuda:1 every fourth of them from the second: one process a GPU
  python3 bench/models.py --seed 7 --list                     only names the shapes

On each shape: a campaign of SECONDS from a copy of the store, with the libraries measured beside it. The row says the share of the
fastest library's speed that was reached (above 1: ahead), how many evaluations a search asked for, how many of them came before the
arm that won had its first, and what was never tried. OUT.json holds each campaign as it ends; what stands in it is not made again.
"""
import argparse
import json
import pathlib
import random
import statistics
import tempfile

import unseen

MOST_ROWS, MOST_BYTES = 1 << 20, 8 << 30
BATCHES = [1, 2, 4, 8, 16, 32, 64, 128, 256]
LENGTHS = [300, 512, 777, 1024, 1500, 2048, 3000, 4096, 6000, 8192, 12000, 16384, 24000, 32768]
# The eight of the issue on the shapes of real models.
ISSUE = [("Qwen 7B prefill", dict(B=2, Hq=28, Hkv=4, Sq=2048, Sk=2048, D=128, dtype="bf16", causal=True)),
         ("Llama 70B decode", dict(B=16, Hq=64, Hkv=8, Sq=1, Sk=6000, D=128, dtype="bf16", causal=False)),
         ("ViT-L at 336", dict(B=8, Hq=16, Hkv=16, Sq=577, Sk=577, D=64, dtype="f16", causal=False)),
         ("Flux", dict(B=1, Hq=24, Hkv=24, Sq=4608, Sk=4608, D=128, dtype="bf16", causal=False)),
         ("chunked prefill", dict(B=1, Hq=32, Hkv=8, Sq=512, Sk=16384, D=128, dtype="bf16", causal=True)),
         ("BERT base", dict(B=128, Hq=12, Hkv=12, Sq=128, Sk=128, D=64, dtype="f16", causal=False)),
         ("Whisper cross attention", dict(B=4, Hq=8, Hkv=8, Sq=1, Sk=448, D=64, dtype="f16", causal=False)),
         ("Gemma", dict(B=2, Hq=8, Hkv=1, Sq=1024, Sk=1024, D=256, dtype="bf16", causal=True))]


def models(file):
    for line in open(file, encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            name, hidden, heads, kv, width, dtype, context, phases, source = line.split()
            yield {"model": name, "hidden": int(hidden), "Hq": int(heads), "Hkv": int(kv), "D": int(width), "dtype": dtype, "context": int(context),
                   "phases": phases.split(","), "source": source}


def lengths(chance, model, phase):
    """(queries, keys, causal)"""
    kind, _, numbers = phase.partition(":")
    if kind == "encoder":
        return int(numbers), int(numbers), False
    if kind == "cross":
        queries, keys = map(int, numbers.split("x"))
        return queries, keys, False
    keys = chance.choice([length for length in LENGTHS if length <= model["context"]])
    if kind == "decode":
        return 1, keys, False
    return (keys if kind == "prefill" else min(keys, chance.choice([256, 512, 1024]))), keys, True


def fits(shape):
    rows = max(shape["B"] * shape["Hq"] * shape["Sq"], shape["B"] * shape["Hkv"] * shape["Sk"])
    elements = shape["B"] * shape["D"] * 2 * (shape["Hq"] * shape["Sq"] + shape["Hkv"] * shape["Sk"])
    return rows <= MOST_ROWS and 2 * elements <= MOST_BYTES


def drawn(chance, known):
    """A model, one of its phases, lengths and a batch, each as likely as the others; what does not fit is drawn again."""
    while True:
        model = chance.choice(known)
        phase = chance.choice(model["phases"])
        queries, keys, causal = lengths(chance, model, phase)
        shape = dict(B=chance.choice(BATCHES), Hq=model["Hq"], Hkv=model["Hkv"], Sq=queries, Sk=keys, D=model["D"],
                     dtype=model["dtype"], causal=causal)
        if fits(shape):
            return f"{model['model']} {phase.partition(':')[0]}", shape


def drawn_once(chance, known, count, without=()):
    """COUNT shapes, none twice: two models may have one geometry."""
    shapes = {}
    while len(shapes) < count:
        name, shape = drawn(chance, known)
        if in_words(shape) not in without:
            shapes.setdefault(in_words(shape), (name, shape))
    return list(shapes.values())


def in_words(shape):
    return " ".join(f"{key}={str(value).lower() if isinstance(value, bool) else value}" for key, value in shape.items())


def measure(arguments, shape, seed):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(arguments.keep or folder)
        folder.mkdir(parents=True, exist_ok=True)
        store = folder / f"models_{seed}.db"
        store.unlink(missing_ok=True)
        if pathlib.Path(arguments.store).exists():
            unseen.copy(arguments.store, store)
        return unseen.campaign(arguments, "attention", shape, arguments.seconds, store, seed)


def share(found):
    return found["rival_ns"] / found["time_ns"] if found.get("rival_ns") and found.get("time_ns") else None


def sum_up(rows):
    shares = [share(row) for row in rows if share(row) is not None]
    firsts = [row["before_winner"] for row in rows if row.get("before_winner") is not None]
    refused = sum(row.get("refused") is not None for row in rows)
    if shares:
        print(f"\nat least 0.98 of the library's speed: {sum(each >= 0.98 for each in shares)} of {len(rows)}; least {min(shares):.2f}, "
              f"geometric mean {statistics.geometric_mean(shares):.2f}; refused: {refused}")
    if firsts:
        print(f"evaluations before the arm that won was tried: median {statistics.median(firsts):.0f}, most {max(firsts)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--issue", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shapes", type=int, default=40)
    parser.add_argument("--models", default="bench/models.txt")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seconds", type=int, default=40)
    parser.add_argument("--store", default="experiments.db")
    parser.add_argument("--part", default="1/1", help="I/N: every N-th shape from the I-th")
    parser.add_argument("--without", metavar="SEED:COUNT", help="none of the shapes that another seed draws: 5:20 made shapes.jsonl")
    parser.add_argument("--trust-source", action="store_true", help="where the machine cannot cage native code")
    parser.add_argument("--keep")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--harness", default="build/release/harness")
    arguments = parser.parse_args()
    chance, known = random.Random(f"{arguments.seed} models"), list(models(arguments.models))
    without = set()
    if arguments.without:
        seed, count = map(int, arguments.without.split(":"))
        without = {in_words(shape) for _, shape in drawn_once(random.Random(f"{seed} models"), known, count)}
    shapes = ISSUE if arguments.issue else drawn_once(chance, known, arguments.shapes, without)
    part, parts = map(int, arguments.part.split("/"))
    shapes = shapes[part - 1 :: parts]
    if arguments.list:
        for name, shape in shapes:
            print(f"{name}: {in_words(shape)}")
        return
    done = json.loads(arguments.json.read_text(encoding="utf-8")) if arguments.json and arguments.json.exists() else {}
    print(f"| shape | of the library's speed | by | rival | evaluations | before the winning arm | never tried |")
    print("|---|--:|---|---|--:|--:|---|")
    rows = []
    for number, (name, shape) in enumerate(shapes):
        key = f"{in_words(shape)} {arguments.seconds} s"
        if key not in done:
            try:
                done[key] = measure(arguments, in_words(shape), arguments.seed + number)
            except SystemExit as refusal:  # a shape outside of the domain is an answer, too
                done[key] = {"refused": str(refusal), "rival_ns": None, "time_ns": None}
            if arguments.json:
                arguments.json.write_text(json.dumps(done, indent=1) + "\n", encoding="utf-8")
        found = done[key]
        rows.append(found)
        if found.get("refused"):
            print(f"| {name}: {in_words(shape)} | refused | - | - | - | - | {found['refused'][-120:]} |", flush=True)
            continue
        differs = ", not deterministic" if found.get("rival_deterministic") is False else ""
        print(f"| {name}: {in_words(shape)} | {unseen.shown(share(found))} | {found['variant']} | {found.get('rival') or '-'}{differs} "
              f"| {found['searched']} | {'-' if found['before_winner'] is None else found['before_winner']} "
              f"| {', '.join(found['never_tried']) or '-'} |", flush=True)
    sum_up(rows)


if __name__ == "__main__":
    main()
