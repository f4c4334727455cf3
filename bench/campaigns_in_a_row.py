#!/usr/bin/env python3
"""Campaigns in a row on one store: does one ever end below the one before? On the cpu device, with scripted replies.

    bench/campaigns_in_a_row.py --harness build/release/harness --campaigns 10 --budget 25s [KERNEL ...] > RESULT.jsonl

The kernels are those of bench/agents/kernels (default: the three of KERNELS). Each campaign asks a proposer: this
program with --reply. It draws a prepared reply of bench/agents/replies, the same one spoiled (another index, a
missing brace), the reply of an earlier campaign with other spaces, or words without a source. Which, follows from the
campaign's seed alone. A line of the result is a campaign: what it closed with, what `harness best` says of the store,
and after how many evaluations the best of the campaign before was there again. The exit status is 1 where one ended
below the one before.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNELS = ("row_softmax", "transpose", "dot")
KINDS = ("good", "good", "good", "wrong", "broken", "respaced", "words")


def workload_of(kernel):
    for line in (ROOT / "bench/agents/workloads.txt").read_text().splitlines():
        words = line.split()
        if words and words[0] == kernel:
            return words[2]
    raise SystemExit(f"bench/agents/workloads.txt has no kernel {kernel}")


def spoiled(source, kind):
    if kind == "wrong":  # an element beside the right one
        return source.replace("threadIdx.x", "(threadIdx.x ^ 1)", 1)
    if kind == "broken":
        return source[: source.rfind("}")]
    if kind == "respaced":
        return source.replace("\n  ", "\n\t ") + "\n// the same once more\n"
    return source


def reply(seed):
    """The reply to the request on standard input."""
    sys.path.insert(0, str(ROOT / "bench"))
    request = json.load(sys.stdin)
    number = int(request["id"].split("-")[-1])
    draw = random.Random(f"{seed}/{request['kernel']}/{number}")
    kind = draw.choice(KINDS)
    path = draw.choice(sorted((ROOT / "bench/agents/replies" / request["kernel"]).glob("*.cu")))
    if kind == "words":
        print("I would stage the rows in shared memory; do you want me to go on?")
        return
    from prepared_replies import reply_of
    answer = reply_of(path, request)
    answer["source"] = spoiled(answer["source"], kind)
    answer["label"] = f"{path.stem} ({kind})"
    print(json.dumps(answer))


def campaign(options, kernel, number, db):
    command = [options.harness, "run", kernel, "--kernels", str(ROOT / "bench/agents/kernels"), "--device", "cpu",
               "--workload", workload_of(kernel), "--budget", options.budget, "--seed", str(number), "--db", db, "--json"]
    if options.strategy:
        command += ["--strategy", options.strategy]
    if number % 4 != 0:  # each fourth has nobody who proposes
        command += ["--proposer", f"command:python3 {pathlib.Path(__file__).resolve()} --reply {number}"]
    finished = subprocess.run(command, capture_output=True, text=True)
    if finished.returncode not in (0, 1):
        raise SystemExit(f"{kernel}, campaign {number}: {finished.stderr}")
    events = [json.loads(line) for line in finished.stdout.splitlines()]
    best = subprocess.run([options.harness, "best", kernel, "--db", db, "--json"], capture_output=True, text=True).stdout
    return events, (json.loads(best or "[]") or [None])[0]  # nothing is recorded where the budget held no evaluation


def best_of(events):
    """Speedup and time that the campaign closed with; 0 and None where it has no best."""
    closing = events[-1]["best"][0] if events[-1].get("best") else {}
    return closing.get("speedup") or 0, closing.get("time_ns")


def summary(events, best, before):
    """A campaign in one line; `before` is the speedup that the one before closed with."""
    speedup, time_ns = best_of(events)
    evaluations = [event for event in events if event["event"] == "iteration"]
    reached = next((place for place, event in enumerate(evaluations, 1)
                    if event["outcome"] == "passed" and (event.get("speedup") or 0) >= before * (1 - 1e-9)), None)
    proposals = [event for event in events if event["event"] == "proposal"]
    return {"speedup": speedup, "time_ns": time_ns, "best_of_store": best and best["speedup"],
            "evaluations": len(evaluations), "reached_after": reached, "fell": speedup < before * (1 - 1e-9),
            "asked": len(proposals), "accepted": sum(event["outcome"] == "accepted" for event in proposals),
            "stopped": events[-1]["message"]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--harness", default=str(ROOT / "build/release/harness"))
    parser.add_argument("--campaigns", type=int, default=10)
    parser.add_argument("--budget", default="25s")
    parser.add_argument("--strategy", default="")
    parser.add_argument("--reply", type=int, default=-1, help="be the proposer of a campaign with this seed")
    parser.add_argument("--keep", default="", help="a folder for the stores and events")
    parser.add_argument("kernels", nargs="*", default=KERNELS)
    options = parser.parse_args()
    if options.reply >= 0:
        return reply(options.reply)
    fell = False
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(options.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for kernel in options.kernels:
            before = 0
            for number in range(1, options.campaigns + 1):
                events, best = campaign(options, kernel, number, str(folder / f"{kernel}.db"))
                if options.keep:
                    (folder / f"{kernel}_{number}.jsonl").write_text("\n".join(map(json.dumps, events)))
                    (folder / f"{kernel}_{number}.best.json").write_text(json.dumps(best))
                line = {"kernel": kernel, "campaign": number} | summary(events, best, before)
                before, fell = line["speedup"], fell or line["fell"]
                print(json.dumps(line), flush=True)
    return fell


if __name__ == "__main__":
    sys.exit(main())
