#!/usr/bin/env python3
"""OpenEvolve's and ShinkaEvolve's own loops over our judge, beside our campaign: the same replies, the same seconds.

    HARNESS_OTHERS=DIR bench/other_loops.py --harness build/release/harness [--seconds 90] [--write FILE.md] [KERNEL ...]

DIR holds checkouts named openevolve and ShinkaEvolve, as tests/python/others_test.py wants them; they are no part of
this repository. No model is asked: the N-th request of a loop is answered with the N-th reply of a list, whatever it
says. The list is made of bench/agents/replies: a prepared source with its launch, the same with another element's
index (wrong), the next one without its last brace (broken), the first one with other blanks (a repetition), and so on.
Each loop has a store of its own, the budget --seconds of the device, and as many requests as there are replies. The
others get the source as text of a program, with its launch in the first comment (`/* manifest: {...} */`); our
proposer gets the same source and launch as a reply.
"""
import argparse
import glob
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from campaigns_in_a_row import spoiled, workload_of  # noqa: E402
from prepared_replies import reply_of  # noqa: E402

KERNELS = ("row_softmax", "dot", "transpose")
PLUGINS = ROOT / "bench/agents/kernels"
ORIGINAL = "00_original"
STOOD_IN = ["openai", "dacite", "flask", "tqdm", "hydra", "omegaconf", "pandas", "dotenv", "instructor", "google", "radon",
            "boto3", "Levenshtein", "scipy", "anthropic", "httpx", "loguru", "rich", "tenacity", "aiofiles", "backoff"]


def replies_of(kernel):
    """(kind, source, manifest) in the order in which every loop gets them."""
    prepared = [reply_of(path, {"id": ""}) for path in sorted((ROOT / "bench/agents/replies" / kernel).glob("*.cu"))]
    replies = []
    for place, reply in enumerate(prepared):
        source, manifest = re.sub(r"\A\s*/\*.*?\*/\s*", "", reply["source"], flags=re.S), reply["manifest"]
        kinds = [["wrong", "good"], ["good", "broken", "again"], ["good"], ["good", "again"]][place % 4]
        for kind in kinds:
            text = source if kind == "good" else spoiled(source, "respaced" if kind == "again" else kind)
            replies.append((kind, text, manifest))
    return replies


def with_manifest(source, manifest):
    return f"/* manifest: {json.dumps(manifest)} */\n{source}"


def ours(kernel, replies, options, folder):
    path, db = folder / "replies.json", str(folder / "ours.db")
    path.write_text(json.dumps([{"source": source, "manifest": manifest, "label": kind} for kind, source, manifest in replies]))
    command = [options.harness, "run", kernel, "--workload", workload_of(kernel), "--budget", f"{options.seconds}s",
               "--kernels", str(PLUGINS), "--device", "cpu", "--db", db,
               "--proposer", f"command:{sys.executable} {pathlib.Path(__file__).resolve()} --reply {path}"]
    finished = subprocess.run(command, capture_output=True, text=True)
    if finished.returncode not in (0, 1):
        raise SystemExit(finished.stderr)
    sizes = [each[0] for each in rows(db, "SELECT length(CAST(t.text AS BLOB)) FROM proposal p JOIN proposal_text t "
                                      "ON t.hash = p.request WHERE p.proposer <> 'record' AND p.second_to IS NULL")]
    return db, sizes, len(sizes)


def reply(path):
    """Our proposer: the reply of the request's number; a second question of the same request has none."""
    request = json.load(sys.stdin)
    taken = pathlib.Path(path + ".taken")
    number = len(taken.read_text()) if taken.exists() else 0
    replies = json.loads(pathlib.Path(path).read_text())
    if request.get("again"):
        print(json.dumps({"refusal": "it was written before"}))
    elif number >= len(replies):
        sys.exit(3)
    else:
        taken.write_text("x" * (number + 1))
        print(json.dumps(replies[number]))


def within(project, example, code, kernel, replies, options, folder):
    """Runs `code` where the project, our example and what stands in for libraries can be imported."""
    db, script = str(folder / f"{example}.db"), folder / f"{example}.json"
    script.write_text(json.dumps(replies))
    checkout = os.path.join(os.environ["HARNESS_OTHERS"], project)
    wrapper = folder / "harness"      # the evaluators start `harness`: with the kernels of the bench
    wrapper.write_text(f'#!/bin/sh\nexec {os.path.abspath(options.harness)} "$@" --kernels {PLUGINS}\n')
    wrapper.chmod(0o755)
    path = [checkout, str(ROOT / "examples" / example), str(ROOT / "tests/python"), str(ROOT / "python")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "PATH": f"{folder}:{os.environ['PATH']}",
                   "HARNESS_KERNEL": kernel, "HARNESS_VARIANT": ORIGINAL, "HARNESS_WORKLOADS": workload_of(kernel),
                   "HARNESS_SESSION": example, "HARNESS_BUDGET": f"{options.seconds}s", "HARNESS_DEVICE": "cpu",
                   "HARNESS_DB": db, "SCRIPTED_REPLIES": str(script)}
    code = f"import json, standins; standins.install({STOOD_IN!r})\n" + code
    done = subprocess.run([options.python, "-c", code], env=environment, cwd=folder, capture_output=True, text=True)
    (folder / f"{example}.log").write_text(done.stdout + done.stderr)
    if done.returncode != 0:
        raise SystemExit(f"{project}: {done.stderr[-2000:]}")
    asked = folder / f"{example}.json.asked"
    sizes = [int(line) for line in asked.read_text().split()] if asked.exists() else []
    return db, sizes, len(sizes)


def openevolve(kernel, replies, options, folder):
    config = (ROOT / "examples/openevolve/config.yaml").read_text()
    config = config.replace("diff_based_evolution: true", "diff_based_evolution: false\nrandom_seed: 1")
    (folder / "openevolve.yaml").write_text(config.replace("parallel_evaluations: 4", "parallel_evaluations: 1"))
    texts = [f"```cuda\n{with_manifest(source, manifest)}\n```" for _, source, manifest in replies]
    return within("openevolve", "openevolve", "import evolve\n"
                  f"evolve.main({str(folder / 'openevolve.yaml')!r}, {len(texts)}, {str(folder / 'evolved')!r})",
                  kernel, texts, options, folder)


def shinka(kernel, replies, options, folder):
    texts = ["<NAME>\nn\n</NAME>\n<DESCRIPTION>\nd\n</DESCRIPTION>\n<CODE>\n```cuda\n"
             f"// EVOLVE-BLOCK-START\n{with_manifest(source, manifest)}\n// EVOLVE-BLOCK-END\n```\n</CODE>\n" for _, source, manifest in replies]
    return within("ShinkaEvolve", "shinka", "import functools, run_evo\n"
                  "run_evo.EvolutionConfig = functools.partial(run_evo.EvolutionConfig, patch_types=['full'], "
                  "patch_type_probs=[1.0])\n"
                  f"run_evo.main('local/scripted@http://localhost:1/v1', {len(texts) + 1}, {str(folder / 'shinka')!r})",
                  kernel, texts, options, folder)


def rows(db, sql):
    with sqlite3.connect(f"file:{db}?mode=ro", uri=True) as store:
        return store.execute(sql).fetchall()


def summary(kernel, loop, replies, made):
    """A line of the table: what the record of a loop says."""
    db, sizes, asked = made
    evaluated = rows(db, "SELECT i.outcome, i.speedup, i.wall_s FROM iteration i WHERE i.purpose IN ('search', 'eval', 'confirm')")
    passed = [speedup for outcome, speedup, _ in evaluated if outcome == "passed" and speedup]
    return {"kernel": kernel, "loop": loop, "replies": len(replies), "requests": asked, "evaluations": len(evaluated),
            "not_right": sum(outcome not in ("passed", "screened", "no_effect", "abandoned") for outcome, _, _ in evaluated),
            "device_s": round(sum(wall for _, _, wall in evaluated), 1), "best": max(passed, default=1.0),
            "request_kb": round(sum(sizes) / max(len(sizes), 1) / 1000, 1)}


def table(lines):
    text = ("| kernel | loop | requests | evaluations | of these not right | device s | best, predicted | kB a request |\n"
            "|---|---|--:|--:|--:|--:|--:|--:|\n")
    for line in lines:
        text += (f"| {line['kernel']} | {line['loop']} | {line['requests']} of {line['replies']} | {line['evaluations']} | "
                 f"{line['not_right']} | {line['device_s']:.0f} | {line['best']:.2f}x | {line['request_kb']:.1f} |\n")
    return text


def write(file, text):
    """Between the marks <!-- loops --> and <!-- end loops -->."""
    page = pathlib.Path(file).read_text(encoding="utf-8")
    page = re.sub(r"<!-- loops -->\n.*?<!-- end loops -->", lambda _: f"<!-- loops -->\n{text}<!-- end loops -->", page, flags=re.S)
    pathlib.Path(file).write_text(page, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--harness", default=str(ROOT / "build/release/harness"))
    parser.add_argument("--python", default="/usr/bin/python3", help="with what the projects import (tests/python/others_test.py)")
    parser.add_argument("--seconds", type=int, default=90)
    parser.add_argument("--keep", default="", help="a folder for stores and logs")
    parser.add_argument("--write", default="", help="a page with the marks of the table")
    parser.add_argument("--reply", default="", help="be our proposer")
    parser.add_argument("kernels", nargs="*", default=KERNELS)
    options = parser.parse_args()
    if options.reply:
        return reply(options.reply)
    lines = []
    for kernel in options.kernels:
        replies = replies_of(kernel)
        for loop, run in (("harness run", ours), ("OpenEvolve", openevolve), ("ShinkaEvolve", shinka)):
            with tempfile.TemporaryDirectory() as scratch:
                folder = pathlib.Path(options.keep or scratch) / kernel / loop.split()[0]
                folder.mkdir(parents=True, exist_ok=True)
                lines.append(summary(kernel, loop, replies, run(kernel, replies, options, folder)))
                print(json.dumps(lines[-1]), flush=True)
    print(table(lines), end="")
    if options.write:
        write(options.write, table(lines))


if __name__ == "__main__":
    main()
