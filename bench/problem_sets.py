#!/usr/bin/env python3
"""Takes whole sets of problems through `harness new kernel NAME --from FILE` and `harness check`, and writes one row for each.

    bench/problem_sets.py run   --mirrors DIR [--set SET] [--only 'NAME*'] [--jobs 2] [--out FILE]
        (what FILE has already is left out)
    bench/problem_sets.py table FILE               a line for each group of a set, and why the others are not in

DIR holds git folders: DIR/OWNER+NAME/repo. SETs are `flashinfer` (156 definitions), `sol` (11 examples of SOL-ExecBench),
`kernelbench` (thirty modules of levels 1 and 2, drawn by Python's Random(44)) and `deck` (the six hard problems of
kernelbench.com for the H100). Nothing of them is kept. A problem is `in` where the
plugin was written and `check` found that its contract and its reference hold at the sizes of the cpu device. What the command asks
for is answered where ANSWERS below has it, and then the row says so.
"""

import argparse
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

SETS = {
    "flashinfer": ("flashinfer-ai/flashinfer-bench", "ecafa9c2c62007667838226068b21ca9ff1c9183"),
    "sol": ("NVIDIA/SOL-ExecBench", "8d2237d"),
    "kernelbench": ("ScalingIntelligence/KernelBench", "423217d"),
    "deck": ("Infatoshi/kernelbench.com", "c7d92211851a18fdba173544f703436f4032b350"),
}
DRAWN, SEED = 30, 44
# What nothing in the definitions says, and an owner would know.
ANSWERS = {"k_index_cache_fp8": "0..63",  # bytes of fp8 numbers and of a scale: small, and no NaN
           "seq_lens": "1..2048"}


def git(mirrors, repository, *words):
    folder = mirrors / repository.replace("/", "+") / "repo"
    return subprocess.run(["git", f"--git-dir={folder}", *words], check=True, capture_output=True, text=True).stdout


def listed(mirrors, which, folder):
    repository, commit = SETS[which]
    return git(mirrors, repository, "ls-tree", "-r", "--name-only", commit, folder).split()


def problems(mirrors, which):
    """Name, group, path, and the files that belong to it."""
    if which == "flashinfer":
        workloads = {pathlib.PurePath(p).stem: p for p in listed(mirrors, which, "flashinfer_trace/workloads")}
        for path in listed(mirrors, which, "flashinfer_trace/definitions"):
            name = pathlib.PurePath(path).stem
            yield name, path.split("/")[2], path, [path, *([workloads[name]] if name in workloads else [])]
    elif which == "sol":
        every = listed(mirrors, which, "examples")
        for path in every:
            folder = str(pathlib.PurePath(path).parent)
            if path.endswith("/definition.json"):
                yield "_".join(folder.split("/")[1:]), "examples", path, \
                    [p for p in every if str(pathlib.PurePath(p).parent) == folder and p.endswith(("definition.json", ".jsonl"))]
    elif which == "deck":
        for path in listed(mirrors, which, "benchmarks/hard/problems-h100"):
            if path.endswith("/reference.py"):
                yield path.split("/")[-2], "hard, H100", path, [path]
    else:
        every = [p for level in (1, 2) for p in listed(mirrors, which, f"KernelBench/level{level}/") if p.endswith(".py")]
        for path in sorted(random.Random(SEED).sample(sorted(every), DRAWN)):
            level = path.split("/")[1]
            yield f"{level}_{pathlib.PurePath(path).stem}", level, path, [path]


def call(command, folder, seconds):
    """Its status (None: out of time) and what it said. What it started ends with it."""
    with tempfile.TemporaryFile("w+") as said:
        child = subprocess.Popen(command, cwd=folder, stdout=said, stderr=said, stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            status = child.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGINT)
            try:
                child.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
            status = None
        said.seek(0)
        return status, said.read()


def last_sentence(said):
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    own = [line for line in lines if line.startswith("harness: ")]
    return (own or lines or [""])[-1].removeprefix("harness: ")


def one(which, problem, options, harness):
    name, group, path, files = problem
    repository, commit = SETS[which]
    work = pathlib.Path(tempfile.mkdtemp(prefix="problems-"))
    try:
        for file in files:
            place = work / file
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(git(options.mirrors, repository, "show", f"{commit}:{file}"))
        subprocess.run([harness, "init", "mine"], cwd=work, check=True, capture_output=True)
        kernel = re.sub(r"\W", "_", f"p_{name}")[:60]
        answers, begin, checked = [], time.monotonic(), None
        while True:
            command = [harness, "new", "kernel", kernel, "--from", str(work / path), *answers]
            status, said = call(command, work / "mine", options.seconds)
            asked = re.search(r"--set (\w+)=", last_sentence(said)) if status == 2 else None
            if not asked or asked[1] not in ANSWERS or f"{asked[1]}={ANSWERS[asked[1]]}" in answers:
                break
            answers += ["--set", f"{asked[1]}={ANSWERS[asked[1]]}"]
        seconds = time.monotonic() - begin
        outcome, why = ("out of time", last_sentence(said)) if status is None else ("not in", last_sentence(said))
        if status == 0:
            begin = time.monotonic()
            status, said = call([harness, "check", kernel, "--device", "cpu"], work / "mine", options.seconds)
            checked = round(time.monotonic() - begin, 1)
            outcome, why = ("in", "") if status == 0 else ("check fails", last_sentence(said))
        return {"set": which, "name": name, "group": group, "repository": repository, "commit": commit, "path": path,
                "outcome": outcome, "why": why[:500].replace(str(work) + "/", ""), "options": answers, "seconds": round(seconds, 1),
                "check_seconds": checked}
    finally:
        shutil.rmtree(work, ignore_errors=True)


def run(options):
    harness = os.environ.get("HARNESS", str(pathlib.Path(__file__).resolve().parent.parent / "build/release/harness"))
    os.environ.setdefault("HARNESS_HOME", str(pathlib.Path(__file__).resolve().parent.parent))
    known = options.out.read_text().splitlines() if options.out and options.out.exists() else []
    done = {(row["set"], row["name"]) for row in map(json.loads, known)}
    todo = [(which, problem) for which in SETS if options.set in (None, which) for problem in problems(options.mirrors, which)
            if (which, problem[0]) not in done and any(fnmatch.fnmatch(problem[0], p) for p in options.only or ["*"])]
    writing = threading.Lock()

    def taken(which, problem):
        row = one(which, problem, options, harness)
        with writing:
            print(f"{row['outcome']:12} {which}/{row['name']}  {row['seconds']} s  {row['why'][:300]}", flush=True)
            if options.out:
                with options.out.open("a") as file:
                    file.write(json.dumps(row) + "\n")

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for future in [pool.submit(taken, *each) for each in todo]:
            future.result()


def table(options):
    rows = {}
    for line in options.file.read_text().splitlines():
        row = json.loads(line)
        rows[row["set"], row["name"]] = row  # the last run of each
    groups = {}
    for row in rows.values():
        groups.setdefault((row["set"], row["group"]), []).append(row)
    print("| set | group | tried | in | with an answer | not in | median s |\n|---|---|--:|--:|--:|--:|--:|")
    for (which, group), of in sorted(groups.items()):
        came = [r for r in of if r["outcome"] == "in"]
        times = sorted(r["seconds"] for r in of)
        print(f"| {which} | {group} | {len(of)} | {len(came)} | {sum(1 for r in came if r['options'])} | {len(of) - len(came)} "
              f"| {times[len(times) // 2]:.0f} |")
    came = sum(1 for r in rows.values() if r["outcome"] == "in")
    print(f"\n{came} of {len(rows)} came in. The others:\n")
    for row in sorted(rows.values(), key=lambda r: (r["set"], r["group"], r["name"])):
        if row["outcome"] != "in":
            print(f"- {row['set']}/{row['name']}: {row['outcome']}: {row['why']}")
    told = sorted({" ".join(r["options"]) for r in rows.values() if r["outcome"] == "in" and r["options"]})
    if told:
        print("\nAnswers that were given: " + "; ".join(f"`{t}`" for t in told))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "table"])
    parser.add_argument("file", nargs="?", type=pathlib.Path)
    parser.add_argument("--mirrors", type=pathlib.Path)
    parser.add_argument("--set", choices=list(SETS))
    parser.add_argument("--only", action="append")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    {"run": run, "table": table}[options.what](options)


if __name__ == "__main__":
    sys.exit(main())
