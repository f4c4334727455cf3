#!/usr/bin/env python3
"""What the digest of a candidate is worth to who reads it: the same reader with the digest, with a dump of counters, with
neither.

    bench/digest_ablation.py --harness build/release/harness [--write FILE.md] [--keep FOLDER] [KERNEL ...]

No model is asked. The reader is a program: it knows the 29 ideas of bench/agents/replies by their hypotheses, and takes
the one whose words are nearest to what it is told (cosine of TF-IDF vectors), an idea at most once. It is told the
source of the best so far, and with it the digest, or the names of all counters (of their values it could make nothing), or
nothing. An idea of another kernel does not apply, and costs the request. An idea of this kernel becomes its prepared source; its time at the GPU's
size is predicted by the tool `predict` (an H200), no gate judges it. So an improvement is a predicted one. `chance`
draws the order (the mean of 1,000 orders).
"""
import argparse
import collections
import json
import math
import os
import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "python")]
import harness  # noqa: E402
from prepared_replies import fields_of, reply_of  # noqa: E402

PLUGINS, REPLIES = ROOT / "bench/agents/kernels", ROOT / "bench/agents/replies"
REQUESTS = 6
FASTER = 1.02       # what an improvement is at least
# Of a dump this reader can read the names alone: it makes nothing of numbers.
COUNTERS = ("blocks block_threads waves tail_share registers shared_bytes spill_bytes occupancy_share instructions "
            "instructions_memory instructions_shared instructions_floating instructions_integer instructions_control active_lanes "
            "dram_bytes least_bytes global_bytes l2_sectors global_load_requests global_load_sectors global_store_sectors "
            "least_sectors l1_hit_share shared_requests shared_wavefronts shared_conflicts atomics atomic_contention barriers "
            "barrier_wait_share").replace("_", " ").split()
COMMON = set("the and for with that its are all from one two than more each into which their this them has not they where "
             "int const float void return each other while what until its then".split())


def words(text):
    return [word for word in re.findall(r"[a-z]{3,}", text.lower()) if word not in COMMON]


class Reader:
    """Ideas by the nearness of their words."""

    def __init__(self, ideas):
        self.ideas = {name: collections.Counter(words(text)) for name, text in ideas.items()}
        seen = collections.Counter(word for counts in self.ideas.values() for word in counts)
        self.rare = {word: math.log((1 + len(ideas)) / n) for word, n in seen.items()}

    def vector(self, counts):
        return {word: (1 + math.log(n)) * self.rare[word] for word, n in counts.items() if word in self.rare}

    def near(self, one, other):
        product = sum(value * other.get(word, 0) for word, value in one.items())
        return product / max(1e-9, math.hypot(*one.values()) * math.hypot(*other.values()))

    def choose(self, told, taken):
        heard = self.vector(collections.Counter(words(told)))
        rest = [name for name in sorted(self.ideas) if name not in taken]
        return max(rest, key=lambda name: self.near(heard, self.vector(self.ideas[name])))


def called(session, tool, **arguments):
    answer = session.tool(tool, **arguments, wait_s=45)
    while answer.get("state") in ("queued", "running", "waiting"):
        answer = session.tool("job", job=answer["job"], wait_s=45)
    return answer


def predicted(session, kernel, workload, reply=None):
    """Time, digest, source and counters of the original or of a prepared reply; None where it cannot be predicted."""
    asked = {"kernel": kernel, "variant": "00_original", "workload": workload}
    if reply:
        asked |= {"source": reply["source"], "manifest": reply["manifest"]}
    try:
        answer = called(session, "predict", **asked)
    except harness.HarnessError as error:
        print(f"{kernel}: {error}", file=sys.stderr)
        return None
    rows = answer.get("predicted") or []
    if not rows or not rows[0].get("predicted_ns"):
        return None
    source = reply["source"] if reply else session.source(kernel, "00_original")
    return {"ns": min(row["predicted_ns"] for row in rows), "digest": answer["digest"],
            "source": re.sub(r"/\*.*?\*/", "", source, flags=re.S)}


def told_by(mode, state):
    return state["source"] + "\n" + {"digest": state["digest"], "dump": "\n".join(COUNTERS), "none": ""}[mode]


def campaign(kernel, states, order):
    """Of the requests in this order: the speedups after each."""
    best, course = states["original"]["ns"], []
    current, improved = states["original"], 0
    taken = []
    for _ in range(REQUESTS):
        name = order(current, taken)
        taken.append(name)
        made = states.get(name) if name.startswith(kernel + "/") else None
        if made and made["ns"] * FASTER < best:
            best, current, improved = made["ns"], made, improved + 1
        course.append(states["original"]["ns"] / best)
    return course, improved


def measured(kernel, states, reader):
    results = {mode: campaign(kernel, states, lambda state, taken, mode=mode: reader.choose(told_by(mode, state), taken))
               for mode in ("digest", "dump", "none")}
    draw, sums, improved, many = random.Random(kernel), [0.0] * REQUESTS, 0, 1000
    for _ in range(many):
        order = draw.sample(sorted(reader.ideas), len(reader.ideas))
        course, better = campaign(kernel, states, lambda _, taken, order=order: order[len(taken)])
        sums = [total + math.log(value) for total, value in zip(sums, course)]
        improved += better
    results["chance"] = [math.exp(total / many) for total in sums], improved / many
    return results


def table(all_results):
    text = "| told | improvements a request | after 1 request | after 2 | after 4 | after 6 |\n|---|--:|--:|--:|--:|--:|\n"
    for mode in ("digest", "dump", "none", "chance"):
        courses = [results[mode][0] for results in all_results.values()]
        means = [math.exp(sum(math.log(course[n - 1]) for course in courses) / len(courses)) for n in (1, 2, 4, 6)]
        a_request = sum(results[mode][1] for results in all_results.values()) / (REQUESTS * len(courses))
        text += f"| {mode} | {a_request:.2f} | " + " | ".join(f"{mean:.2f}x" for mean in means) + " |\n"
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--harness", default=str(ROOT / "build/release/harness"))
    parser.add_argument("--keep", default="/tmp/digest_ablation")
    parser.add_argument("--write", default="", help="a page with <!-- ablation --> and <!-- end ablation -->")
    parser.add_argument("kernels", nargs="*")
    options = parser.parse_args()
    folder = pathlib.Path(options.keep)
    folder.mkdir(parents=True, exist_ok=True)
    workloads = {line.split()[0]: line.split()[1] for line in (ROOT / "bench/agents/workloads.txt").read_text().splitlines()
                 if line and not line.startswith("#")}
    paths = {f"{path.parent.name}/{path.stem}": path for path in sorted(REPLIES.glob("*/*.cu"))}
    reader = Reader({name: fields_of(path.read_text())["hypothesis"] for name, path in paths.items()})
    all_results = {}
    with harness.Session("ablation", budget="2h", device="cpu", db=str(folder / "x.db"), kernels=[str(PLUGINS)],
                         program=os.path.abspath(options.harness)) as session:
        for kernel in options.kernels or workloads:
            states = {"original": predicted(session, kernel, workloads[kernel])}
            for name, path in paths.items():
                if name.startswith(kernel + "/"):
                    states[name] = predicted(session, kernel, workloads[kernel], reply_of(path, {"id": ""}))
            if not states["original"]:
                continue
            all_results[kernel] = measured(kernel, states, reader)
            line = {"kernel": kernel, "predicted_us": {name: state and round(state["ns"] / 1e3, 2) for name, state in states.items()},
                    **{mode: {"course": [round(x, 2) for x in result[0]], "improved": round(result[1], 2)}
                       for mode, result in all_results[kernel].items()}}
            print(json.dumps(line), flush=True)
    text = table(all_results)
    print(text)
    if options.write:
        page = pathlib.Path(options.write).read_text(encoding="utf-8")
        page = re.sub(r"<!-- ablation -->\n.*?<!-- end ablation -->", lambda _: f"<!-- ablation -->\n{text}<!-- end ablation -->", page,
                      flags=re.S)
        pathlib.Path(options.write).write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
