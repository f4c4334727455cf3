#!/usr/bin/env python3
"""Where does roi look on a shape that is far from everything recorded? A replay without a device, as a table in Markdown.

  python3 bench/far_shape.py [--seeds 5] [--seconds 40] [--harness build/release/harness] [--counted] [--keep FOLDER]

The shape is one query a sequence on 6,000 keys (B16, 64 heads on 8, D = 128), and the store is the shipped one: squares of up to
8,192 queries. What each variant takes there is made up around four times that are known of an H200 (the floor, a library, 60_wgmma
and 46_decode): NEAR lists the best of each variant in microseconds, and configurations lie above it by chance. The first
configurations of six variants were counted (COUNTED, by `harness profile --device cpu --for H200`); --counted hands these to the
campaign as predictions after its second evaluation.
"""
import argparse
import hashlib
import json
import pathlib
import random
import statistics
import subprocess
import tempfile

import export_form

SHAPE = {"B": 16, "Hq": 64, "Hkv": 8, "Sq": 1, "Sk": 6000, "D": 128, "dtype": "bf16", "causal": False, "lse": False}
NAME = " ".join(f"{key}={str(value).lower() if isinstance(value, bool) else value}" for key, value in sorted(SHAPE.items()))
FLOOR_US, LIBRARY_US, BASELINE_US = 82, 95, 9000
EVALUATION_S = 0.8
NEAR = {"10_fa1": ("tiling", 6100), "20_split_kv": ("split-kv", 1500), "25_cublas_softmax": ("library-products", 2600),
        "30_wmma": ("tensor-cores-wmma", 900), "40_mma": ("tensor-cores", 330), "45_mma_split": ("split-kv", 250),
        "46_decode": ("decode", 90.8), "47_decode_bulk": ("decode", 93), "60_wgmma": ("wgmma", 360),
        "70_warp_specialized": ("warp-specialization", 380), "75_persistent": ("persistent", 400)}
COUNTED = {"46_decode": ({"RING": 1, "ROWS": 8, "SPLITS": 16, "WARPS": 8}, 201.6),
           "47_decode_bulk": ({"KEYS": 16, "RING": 2, "ROWS": 8, "SPLITS": 16, "WARPS": 8}, 138.1),
           "60_wgmma": ({"BLOCK_N": 128, "STAGES": 2, "WARPGROUPS": 2}, 1095),
           "70_warp_specialized": ({"BLOCK_N": 176, "LONGEST": 0, "PINGPONG": 0, "SCHEDULE": 1, "STAGES": 2, "WARPGROUPS": 2}, 862.8),
           "45_mma_split": ({"BLOCK_N": 32, "PDL": 0, "Q_REGISTERS": 0, "RING": 2, "SPLITS": 2, "TILES": 1, "WARPS": 1}, 777.4),
           "40_mma": ({"BLOCKS": 2, "BLOCK_N": 64, "Q_REGISTERS": 1, "RING": 4, "TILES": 1, "WARPS": 4}, 790.7)}


def rows_of(file):
    header, *rows = map(json.loads, open(file, encoding="utf-8"))
    return header["schema"], [row for row in rows if row["type"] != "end"]


def configurations(rows):
    """By variant, those that were recorded on any shape; the replay leaves out what is not valid on this one."""
    by = {name: {json.dumps(config, sort_keys=True)} for name, (config, _) in COUNTED.items()}
    for row in rows:
        if row["type"] == "attempt" and row["variant"] in NEAR:
            by.setdefault(row["variant"], set()).add(json.dumps(row["config"], sort_keys=True))
    return {name: [json.loads(text) for text in sorted(found)] for name, found in by.items()}


def microseconds(variant, config):
    chance = random.Random(hashlib.sha256(f"{variant} {json.dumps(config, sort_keys=True)}".encode()).hexdigest())
    return NEAR[variant][1] * (1 + abs(chance.gauss(0, 0.25)))


def made(rows, counted):
    """A campaign that evaluated every configuration of every variant on the shape, in the form of an export."""
    campaign = dict(next(row for row in rows if row["type"] == "campaign"))
    attempt = next(row for row in rows if row["type"] == "attempt")
    iteration = next(row for row in rows if row["type"] == "iteration")
    options = {**campaign["options"], "workloads": [NAME], "budget_s": 60, "rivals": False}
    if counted:
        arms = {}
        for variant, (config, us) in COUNTED.items():
            arms.setdefault(NEAR[variant][0], []).append({"variant": variant, "config": config, "ns": 1000 * us})
        options["predicted"] = [{"arm": {"kernel": "attention", "workload": NAME, "technique": technique}, "gpu": "H200", "after": 2,
                                 "begins": False, "points": sorted(points, key=lambda point: point["ns"])}
                                for technique, points in arms.items()]
    wanted = [("00_naive", "naive", {"BLOCK": 32}, BASELINE_US)]
    for variant, found in configurations(rows).items():
        wanted += [(variant, NEAR[variant][0], config, microseconds(variant, config)) for config in found]
    made_rows = [{**campaign, "uuid": "0" * 30 + "42", "name": "a shape far from all", "options": options, "budget_s": 60,
                  "spent_s": EVALUATION_S * len(wanted)}]
    made_rows.append(next(row for row in rows if row["type"] == "decision"))
    for number, (variant, technique, config, us) in enumerate(wanted, 1):
        baseline = variant == "00_naive"
        made_rows[1] = {**made_rows[1], "workload": NAME, "technique": technique} if baseline else made_rows[1]
        made_rows.append({**attempt, "workload": NAME, "variant": variant, "technique": technique, "config": config, "ask": number - 1,
                          "purpose": "baseline" if baseline else "search", "decision": 1})
        speedup = BASELINE_US / us
        made_rows.append({**iteration, "attempt": number, "time_ns": 1000 * us, "time_lo_ns": 998 * us, "time_hi_ns": 1002 * us,
                          "baseline_ns": 1000 * BASELINE_US, "floor_ns": 1000 * FLOOR_US, "speedup": speedup,
                          "speedup_lo": speedup * 0.998, "speedup_hi": speedup * 1.002, "gates": [], "errors": [],
                          "binary_hash": hashlib.sha256(f"{variant} {config}".encode()).hexdigest(),
                          "cost": {**iteration["cost"], "wall_s": EVALUATION_S, "gates_s": 0.4, "timing_s": 0.3}})
    return made_rows


def write(rows, schema, path):
    path.write_text("".join(line + "\n" for line in export_form.lines(rows, schema)), encoding="utf-8")


def run(harness, *words):
    done = subprocess.run([harness, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"far_shape.py: {' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=40)
    parser.add_argument("--harness", default="build/release/harness")
    parser.add_argument("--counted", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    schema, rows = rows_of("bench/h200/from_nothing.jsonl")
    with tempfile.TemporaryDirectory() as folder:
        folder = arguments.keep or pathlib.Path(folder)
        store = folder / "far.db"
        write(made(rows, arguments.counted), schema, folder / "far.jsonl")
        for shipped in ("bench/h200/experiments.jsonl", "bench/h200/from_nothing.jsonl"):
            run(arguments.harness, "import", "--as-evidence", shipped, "--db", store)
        run(arguments.harness, "import", folder / "far.jsonl", "--db", store)
        print("| seed | evaluations before the best's arm | evaluations | most of one arm | us found | of the library's speed | never tried |")
        print("|--:|--:|--:|---|--:|--:|---|")
        firsts, shares = [], []
        for seed in range(1, arguments.seeds + 1):
            text = run(arguments.harness, "replay", 3, "--db", store, "--strategy", "roi", "--search", "default", "--seed", seed,
                       "--budget", f"{arguments.seconds}s", "--json")
            side = json.loads(text.splitlines()[0])["replayed"]
            had, first, before = {}, None, 0
            for stretch in side["decisions"]:
                technique = stretch["technique"]
                if stretch["action"] != "try" or not stretch["evaluations"]:
                    continue
                if technique == "decode" and first is None:
                    first = before
                had[technique] = had.get(technique, 0) + stretch["evaluations"]
                before += stretch["evaluations"]
            us = BASELINE_US / max(score for _, score in side["curve"])
            most = max(had, key=had.get)
            missed = sorted({technique for technique, _ in NEAR.values()} - set(had))
            firsts.append(before if first is None else first)
            shares.append(LIBRARY_US / us)
            print(f"| {seed} | {'never' if first is None else first} | {before} | {most}: {had[most]} | {us:.1f} | {LIBRARY_US / us:.2f} "
                  f"| {', '.join(missed) or '-'} |", flush=True)
        print(f"\nmedians: {statistics.median(firsts):.0f} evaluations before the arm of the best, {statistics.median(shares):.2f} of the "
              "library's speed")


main()
