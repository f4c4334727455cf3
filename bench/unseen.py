#!/usr/bin/env python3
"""What a campaign finds within seconds on shapes that nobody tuned: tables as Markdown, and the rows as JSON.

  python3 bench/unseen.py --seed 7 [--device cuda] [--kernels attention,softmax,rmsnorm_int8,paged_decode] [--shapes 8] [--seconds 40]
                          [--alone 60] [--long 600] [--long-by roi] [--leg 0] [--store experiments.db] [--keep FOLDER]
                          [--json OUT.json] [--harness build/release/harness]

Draws shapes by the seed, other ones each time. On each: a campaign of SECONDS from a copy of the store, one of ALONE seconds from
an empty store, and one of LONG seconds from an empty store, which says what there is to find (0: none). Figures are shares of speed:
the time of the best found by any of them, or of the fastest library on that shape (where a variant measures one), over the time
found. Behind each table stands how many shapes meet what the project asks. The campaigns' stores are left in the folder KEEP.

--long-by exhaustive tries every configuration of every variant: where such a campaign ends before its time, as the table then
says, a longer one would find nothing else.

OUT.json is written after each campaign, and campaigns that stand in it are not made again: where a machine is lent for minutes,
give the same command again. With --leg the long campaign is made in legs of so many seconds, each of which resumes the one before
from its store in KEEP; a leg that was cut off costs what it had spent.
"""
import argparse
import json
import math
import pathlib
import random
import sqlite3
import subprocess
import tempfile


def between(chance, low, high, step=1):
    """Every magnitude equally likely."""
    value = math.exp(chance.uniform(math.log(low), math.log(high)))
    return max(low, round(value / step) * step)


def attention(chance, cpu):
    most = 160 if cpu else 8192
    heads = chance.choice([1, 2, 3, 4, 6]) if cpu else chance.choice([1, 4, 8, 12, 16, 20, 24, 32, 40])
    groups = chance.choice([ways for ways in (1, 1, 1, 2, 4, 8) if heads % ways == 0])
    keys = between(chance, 16, most)
    kind = chance.choice(["square", "square", "square", "decode", "chunk"])
    queries = {"square": keys, "decode": 1, "chunk": between(chance, 2, max(2, keys // 4))}[kind]
    width = 64 if cpu else chance.choice([64, 128, 64, 128, 72, 80, 96, 256])
    batch = 1 if cpu else between(chance, 1, max(1, min(64, (1 << 20) // (heads * keys))))
    causal = kind != "decode" and chance.random() < 0.4
    dtype = chance.choice(["f16", "bf16"])
    return f"B={batch} Hq={heads} Hkv={heads // groups} Sq={queries} Sk={keys} D={width} dtype={dtype} causal={str(causal).lower()}"


def softmax(chance, cpu):
    columns = between(chance, 16, 700 if cpu else 16384)
    rows = between(chance, 4, (1 << 15 if cpu else 1 << 27) // columns)
    return f"M={min(rows, 65536)} N={columns} dtype={chance.choice(['f32', 'f16', 'bf16'])}"


def rmsnorm_int8(chance, cpu):
    columns = between(chance, 512, 1024 if cpu else 16384, 8)
    rows = between(chance, 2, (1 << 15 if cpu else 1 << 27) // columns)
    stride = columns + chance.choice([0, 0, 4, 8, 64])
    return f"T={min(rows, 65536)} N={columns} ldx={stride} dtype={chance.choice(['bf16', 'f16'])}"


def paged_decode(chance, cpu):
    heads = chance.choice([1, 2, 4] if cpu else [4, 8, 12, 16, 24, 32, 48, 64])
    groups = chance.choice([ways for ways in (1, 2, 4, 8) if heads % ways == 0])
    block = chance.choice([8, 16, 32])
    batch = between(chance, 1, 3 if cpu else 64)
    pages = between(chance, 1, max(1, min(1024, (1 << 10 if cpu else 1 << 17) // (block * batch))))
    shortest = between(chance, 1, pages * block)
    return (f"B={batch} Hq={heads} Hkv={heads // groups} D={chance.choice([64, 128])} block={block} max_pages={pages} "
            f"pages={batch * pages} shortest={shortest} dtype={chance.choice(['f16', 'bf16'])}")


def fused_moe(chance, cpu):
    experts, chosen = chance.choice([(4, 2), (8, 3)] if cpu else [(8, 2), (16, 2), (16, 4), (32, 4), (64, 6), (64, 8), (128, 8), (256, 8)])
    hidden = between(chance, 64, 160 if cpu else 8192, 8 if cpu else 64)
    inner = between(chance, 40, 160, 8) if cpu else between(chance, 256, max(256, min(14336, (1 << 31) // (experts * hidden))), 64)
    tokens = between(chance, 1, 40 if cpu else 8192)
    return (f"T={tokens} H={hidden} I={inner} E={experts} K={chosen} shared={str(chance.random() < 0.25).lower()} "
            f"routing={chance.choice([0, 0, 1])}")


DRAWN = {"attention": attention, "softmax": softmax, "rmsnorm_int8": rmsnorm_int8, "paged_decode": paged_decode, "fused_moe": fused_moe}


def spent(store):
    """The last campaign of a store and the seconds that it has spent; nothing where there is none."""
    if not store.exists():
        return None, 0
    with sqlite3.connect(store) as opened:
        row = opened.execute("SELECT id, COALESCE(spent_s, 0) FROM campaign ORDER BY id DESC LIMIT 1").fetchone()
    return row or (None, 0)


def in_legs(arguments, kernel, shape, seconds, store, seed):
    """One campaign of so many seconds in all."""
    found = None
    while found is None or spent(store)[1] < 0.9 * seconds:
        resumed, so_far = spent(store)
        leg = min(arguments.leg or seconds, seconds - so_far)
        if leg < 0.1 * seconds:
            break
        found = campaign(arguments, kernel, shape, math.ceil(leg), store, seed, resumed, arguments.long_by)
        if found["reason"] != "budget":  # nothing is left to try
            break
    return found


def campaign(arguments, kernel, shape, seconds, store, seed, resumed=None, by="roi"):
    if not seconds:
        return {"time_ns": None, "rival_ns": None, "variant": None, "evaluations": 0}
    words = [arguments.harness, "run"]
    words += ["--resume", str(resumed)] if resumed else [kernel, "--device", arguments.device, "--workload", shape, "--seed", str(seed)]
    words += ["--budget", f"{seconds}s", "--db", str(store), "--json"]
    words += ["--strategy", by, "--search", by] if by == "exhaustive" and not resumed else []
    words += ["--trust-source"] if getattr(arguments, "trust_source", False) else []
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    end = next((event for event in events if event.get("event") == "campaign_finished"), None)
    if end is None:
        raise SystemExit(f"unseen.py: {' '.join(words)} ended with {done.returncode}: {done.stderr.strip()}")
    best = end["best"][0] if end["best"] else {}
    searched = [event["technique"] for event in events if event.get("event") == "iteration" and event.get("purpose") == "search"]
    winner = next((event["technique"] for event in events if event.get("event") == "iteration"
                   and event.get("variant") == best.get("variant") and event.get("purpose") == "search"), None)
    return {"seconds": seconds, "time_ns": best.get("time_ns"), "variant": best.get("variant"), "config": best.get("config"),
            "confirmed": best.get("confirmed"), "rival_ns": best.get("rival_ns"), "rival": best.get("rival_variant"),
            "rival_deterministic": best.get("rival_deterministic"), "searched": len(searched),
            "before_winner": searched.index(winner) if winner in searched else None,
            "never_tried": sorted({arm["technique"] for arm in end.get("never_tried", [])}),
            "reason": end.get("reason"), "evaluations": sum(event.get("event") == "iteration" for event in events)}


def copy(store, to):
    """With what other processes have written and not yet moved into the file."""
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as source, sqlite3.connect(to) as target:
        source.backup(target)


def share(of, found):
    return of / found["time_ns"] if of and found["time_ns"] else None


def shown(value):
    return "-" if value is None else f"{value:.2f}"


def measure(arguments, kernel, shape, seed, known):
    place = known.setdefault(f"{kernel} {shape} {seed}", {})

    def once(key, seconds, make):
        if key not in place or place[key].get("asked_s") != seconds:
            place[key] = make() | {"asked_s": seconds}
            save(arguments, known)
        return place[key]

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(arguments.keep or folder) / f"{kernel}_{seed}"
        folder.mkdir(parents=True, exist_ok=True)

        def from_shipped():
            shipped = folder / "shipped.db"
            shipped.unlink(missing_ok=True)
            if pathlib.Path(arguments.store).exists():
                copy(arguments.store, shipped)
            return campaign(arguments, kernel, shape, arguments.seconds, shipped, seed)

        def from_nothing():
            (folder / "empty.db").unlink(missing_ok=True)
            return campaign(arguments, kernel, shape, arguments.alone, folder / "empty.db", seed)

        told = once("shipped_store", arguments.seconds, from_shipped)
        alone = once("empty_store", arguments.alone, from_nothing)
        best = once("long", arguments.long, lambda: in_legs(arguments, kernel, shape, arguments.long, folder / "long.db", seed)
                    if arguments.long else campaign(arguments, kernel, shape, 0, None, seed))
    rivals = [found["rival_ns"] for found in (told, alone, best) if found["rival_ns"]]
    times = [found["time_ns"] for found in (told, alone, best) if found["time_ns"]]
    row = {"kernel": kernel, "shape": shape, "library": share(min(rivals, default=None), told),
           "shipped": share(min(times, default=None), told), "empty": share(min(times, default=None), alone)}
    place.update(row)
    took = best["time_ns"] / 1000 if best["time_ns"] else float("nan")
    all_tried = " (all tried)" if best.get("reason") in ("exhausted", "strategy") and arguments.long_by == "exhaustive" else ""
    print(f"| {shape} | {shown(row['library'])} | {shown(row['shipped'])} | {told['variant']} | {told['evaluations']} "
          f"| {shown(row['empty'])} | {alone['variant']} | {took:.2f}{all_tried} | {best['variant']} |", flush=True)
    return row


def save(arguments, known):
    if not arguments.json:
        return
    to = pathlib.Path(arguments.json)
    written = to.with_suffix(".new")
    written.write_text(json.dumps(list(known.items()), indent=1) + "\n", encoding="utf-8")
    written.replace(to)


def sum_up(rows):
    """What the project asks of shapes that nobody tuned, and how many of these meet it."""
    def count(key, least):
        shares = [row[key] for row in rows if row[key] is not None]
        return f"{sum(s >= least for s in shares)} of {len(shares)} (least {shown(min(shares, default=None))})"
    if any(row["library"] is not None for row in rows):
        print(f"\nat least the library's speed: {count('library', 1)}")
    print(f"\nshipped store, within 3 % of the best found: {count('shipped', 0.97)}; empty store, 0.9 of it: {count('empty', 0.9)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--kernels", default=",".join(DRAWN))
    parser.add_argument("--shapes", type=int, default=8)
    parser.add_argument("--seconds", type=int, default=40)
    parser.add_argument("--alone", type=int, default=60)
    parser.add_argument("--long", type=int, default=600)
    parser.add_argument("--long-by", choices=["roi", "exhaustive"], default="roi")
    parser.add_argument("--leg", type=int, default=0)
    parser.add_argument("--store", default="experiments.db")
    parser.add_argument("--keep")
    parser.add_argument("--json")
    parser.add_argument("--harness", default="build/release/harness")
    arguments = parser.parse_args()
    if arguments.leg and not arguments.keep:
        parser.error("--leg resumes from stores that are kept: give --keep FOLDER, too")
    known = {}
    if arguments.json and pathlib.Path(arguments.json).exists():
        known = dict(json.loads(pathlib.Path(arguments.json).read_text(encoding="utf-8")))
    for kernel in arguments.kernels.split(","):
        chance = random.Random(f"{arguments.seed} {kernel}")
        print(f"\n{kernel}, seed {arguments.seed}\n\n| shape | of the library's speed, {arguments.seconds} s | of the best found, "
              f"{arguments.seconds} s, shipped store | by | evaluations | of the best found, {arguments.alone} s, empty store "
              f"| by | us after {arguments.long} s | by |\n|---|--:|--:|---|--:|--:|---|--:|---|")
        rows = [measure(arguments, kernel, DRAWN[kernel](chance, arguments.device == "cpu"), arguments.seed + index, known)
                for index in range(arguments.shapes)]
        sum_up(rows)
    save(arguments, known)


if __name__ == "__main__":
    main()
