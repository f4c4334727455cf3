#!/usr/bin/env python3
"""Takes kernels that others publish as right and fast through `harness adopt` and all gates, and writes one row for each.

    bench/audit.py list  --mirrors DIR [--from SOURCE]              what there is: source, name, repository, commit, path
    bench/audit.py run   --mirrors DIR [--only 'SOURCE/NAME*'] [--limit N] [--seed S] [--seconds 240] [--out FILE]
        (what FILE has already is left out)
    bench/audit.py run   ... --plugins FOLDER                       what comes in is kept there as plugins, with their texts
    bench/audit.py judge FOLDER --device cuda [--budget 400] --out FILE.json    these plugins on another device, without network
    bench/audit.py table FILE                                       the rows as a table, and counts

DIR holds git folders: DIR/OWNER+NAME/repo. Nothing of them is kept: a row has the repository, the commit and the path, the
command, and what harness said. What adopt asks is answered as it proposes, where it proposes one answer, and a number that
nobody says is 0.5; the row has these options. SOURCE is one of those in SOURCES below; a text is taken for no more than its launches and kernels.
"""

import argparse
import ast
import fnmatch
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

REPOSITORIES = {
    "cuda-l1": ("deepreinforce-ai/CUDA-L1", "51e8356bf844101cab2aeeca4bdff47ebb1953b8", "MIT"),
    "robust-kbench": ("SakanaAI/robust-kbench", "078f5bab29934a822268d59a4e707d449abf9b4e", "Apache-2.0"),
    "kernelbench.com": ("Infatoshi/kernelbench.com", "c7d92211851a18fdba173544f703436f4032b350", "MIT"),
    "flashinfer-bench": ("flashinfer-ai/flashinfer-bench", "4def975f", "Apache-2.0"),
}
DEFINITIONS = ("flashinfer-ai/flashinfer-bench", "6569a4d6^", "flashinfer_trace")
ANSWER = re.compile(r"(--(?:tune|set|type|launch|size|arg|grid|block|include|host)) ('[^']*'|\"[^\"]*\"|[^\s,;:]+(?:,[^\s,;:]+)*)")


def git(mirrors, repository, *words):
    folder = mirrors / repository.replace("/", "+") / "repo"
    return subprocess.run(["git", f"--git-dir={folder}", *words], check=True, capture_output=True, text=True).stdout


def inline_cuda(text):
    """The CUDA sources in strings of a Python module, in their order; "" where it has none."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return ""
    parts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return "\n".join(part for part in parts if "__global__" in part or "<<<" in part)


class Entry:
    def __init__(self, source, name, path, text, kind="cuda", **more):
        self.source, self.name, self.path, self.text, self.kind, self.more = source, name, path, text, kind, more

    def row(self):
        repository, commit, licence = REPOSITORIES[self.source]
        row = {"source": self.source, "name": self.name, "repository": repository, "commit": commit, "licence": licence,
               "path": self.path, "claimed_speedup": self.more.get("claimed")}
        return {**row, "traces": self.more["traces"]} if self.more.get("traces") else row


def of_cuda_l1(mirrors):
    repository, commit, _ = REPOSITORIES["cuda-l1"]
    for card in ("h100", "a100", "l40", "h20", "3090"):
        path = f"optimized_cuda_code/{card}.json"
        for number, line in enumerate(git(mirrors, repository, "show", f"{commit}:{path}").splitlines(), 1):
            task = json.loads(line) if line.strip() else {}
            code = task.get("custom_code") or ""
            cuda = inline_cuda(code)
            if "__global__" in cuda:
                launched = "<<<" in cuda or re.search(r"Raw(Kernel|Module)|get_function|_compile_kernel|cudaLaunchKernel", code)
                yield Entry("cuda-l1", f"{card}_{task['level_id']}_{task['task_id']}", f"{path}:{number}", cuda,
                            "cuda" if launched else "unlaunched", claimed=task.get("score_default"))


def of_robust_kbench(mirrors):
    repository, commit, _ = REPOSITORIES["robust-kbench"]
    for path in git(mirrors, repository, "ls-tree", "-r", "--name-only", commit, "highlighted").split():
        if path.endswith(".cu"):
            name = path.split("/")[1] + "_" + path.split("/")[2]
            yield Entry("robust-kbench", name, path, git(mirrors, repository, "show", f"{commit}:{path}"))


def of_kernelbench_com(mirrors):
    repository, commit, _ = REPOSITORIES["kernelbench.com"]
    for path in git(mirrors, repository, "ls-tree", "-r", "--name-only", commit, "public/runs/h100").split():
        cuda = inline_cuda(git(mirrors, repository, "show", f"{commit}:{path}"))
        if "__global__" in cuda:
            yield Entry("kernelbench.com", re.sub(r"\W", "_", pathlib.Path(path).name.replace("_solution.py.txt", "")), path, cuda)


def traces_of(mirrors, repository, commit, listed):
    """By solution: what its owner's traces say of it, and of how many workloads."""
    told = {}
    for path in listed:
        for line in git(mirrors, repository, "show", f"{commit}:{path}").splitlines() if "/traces/" in path else []:
            trace = json.loads(line)
            status = (trace.get("evaluation") or {}).get("status", "none")
            of = told.setdefault((path.split("/")[3], trace["solution"]), {})
            of[status] = of.get(status, 0) + 1
    return told


def of_flashinfer(mirrors):
    repository, commit, _ = REPOSITORIES["flashinfer-bench"]
    listed = git(mirrors, repository, "ls-tree", "-r", "--name-only", commit, "bench/test/results").split()
    told = traces_of(mirrors, repository, commit, listed)
    for number, path in enumerate(p for p in listed if "/solutions/" in p and p.endswith(".json")):
        text = git(mirrors, repository, "show", f"{commit}:{path}")
        solution = json.loads(text)
        sources = solution.get("sources") or []
        if any("__global__" in each.get("content", "") for each in sources):
            yield Entry("flashinfer-bench", f"{number:03}_{solution['definition']}", path, text, "flashinfer",
                        definition=solution["definition"], solution=solution["name"],
                        traces=told.get((path.split("/")[3], solution["name"])))


SOURCES = {"cuda-l1": of_cuda_l1, "robust-kbench": of_robust_kbench, "kernelbench.com": of_kernelbench_com,
           "flashinfer-bench": of_flashinfer}


def entries(options):
    wanted = [p.split("/")[0] for p in options.only or []]
    found = [e for name, make in SOURCES.items() if options.source in (None, name) and (not wanted or any(fnmatch.fnmatch(name, w) for w in wanted))
             for e in make(options.mirrors)]
    found = [e for e in found if any(fnmatch.fnmatch(f"{e.source}/{e.name}", p) for p in options.only or ["*"])]
    if options.seed is not None:
        random.Random(options.seed).shuffle(found)
    return found[:options.limit] if options.limit else found


def dataset_of(entry, mirrors, into):
    """One problem's folder, as adopt --from-flashinfer takes it."""
    repository, commit, folder = DEFINITIONS
    listed = git(mirrors, repository, "ls-tree", "-r", "--name-only", commit, folder).split()
    for kind in ("definitions", "workloads"):
        for path in listed:
            if f"/{kind}/" in path and pathlib.Path(path).stem == entry.more["definition"]:
                place = into / pathlib.Path(path).relative_to(folder)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(git(mirrors, repository, "show", f"{commit}:{path}"))
    place = into / "solutions" / "solution.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(entry.text)


def prepare(entry, options, folder):
    """The words after `harness adopt`, and the files that they name."""
    if entry.kind == "flashinfer":
        dataset_of(entry, options.mirrors, folder / "ds")
        return ["--from-flashinfer", "ds", entry.more["definition"], "--solution", entry.more["solution"]]
    (folder / "kernel.cu").write_text(entry.text)
    return ["kernel.cu"]


def call(command, folder, seconds):
    """Its status (None: out of time), standard output and error. What it started ends with it."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = subprocess.Popen(command, cwd=folder, stdout=out, stderr=err, stdin=subprocess.DEVNULL, start_new_session=True)
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
        out.seek(0)
        err.seek(0)
        return status, out.read(), err.read()


def verdict(status, out, said):
    """What came of it, in a word, and the sentence that says why."""
    lines = [line for line in (out + "\n" + said).splitlines() if line.strip()]
    sentence = next((line for line in reversed(said.splitlines()) if line.startswith("harness: ")), "")
    failed = next((at for at, line in enumerate(lines) if re.search(r"\bFAILED\b", line)), None)
    if status is None or "did not end within" in sentence:
        return "out of time", sentence or (lines[-1] if lines else "")
    if status == 0:
        return "passed", ""
    if status == 2 and re.search(r"did not run well .*(barrier_deadlock|illegal_access|race|uninitialized|never wrote)", sentence):
        return "refused", sentence.removeprefix("harness: ")
    if status == 1 and any(line.strip().startswith("no tolerance of") for line in lines):
        return "not judged", next(line.strip() for line in lines if line.strip().startswith("no tolerance of"))
    if status == 1 and failed is not None:
        bare = lines[failed].rstrip().endswith("FAILED")  # the reason stands below
        return "refused", lines[failed + 1 if bare and failed + 1 < len(lines) else failed].strip()
    if status == 1:
        return "refused", sentence or (lines[-1] if lines else "")
    return "not in", sentence.removeprefix("harness: ") or (lines[-1] if lines else "")


def proposed(said, given):
    """What adopt proposes as an answer, as words for it; empty where it proposes none that can be taken as it stands."""
    sentence = said.strip().splitlines()[-1] if said.strip() else ""
    which = re.search(r"name the one to adopt: .* which is one of ([\w ,]+)(?:; or a function that launches several: (\w+))?", sentence)
    entry = (which[2] or which[1].split(",")[0].strip()) if which else ""
    branch = re.search(r"launches (\w+) in a branch", sentence)
    entry = branch[1] if branch else entry
    if entry and entry not in given:
        return [entry]
    numbers = [name for name in re.findall(r"'(\w+)' is a number that nobody says", sentence) if f"{name}=0.5" not in given]
    if numbers:
        return ["--set", f"{numbers[0]}=0.5"]
    for option, value in ANSWER.findall(sentence):
        value = value.strip("'\"")
        placeholder = re.search(r"\b(SIZE|EXPR|NAME|LINE|FILE|VALUES?|V|DIR)\b|^(and|or|with)$", value)
        once = option in ("--launch", "--grid", "--block", "--host") and option in given
        if not placeholder and not once and ("=" in value or option not in ("--tune", "--set", "--type", "--size")) and \
                value not in given:
            return [option, value]
    return []


def one(entry, options, harness, work):
    if entry.kind == "unlaunched":
        return {**entry.row(), "outcome": "never launched", "why": "its module has CUDA kernels, and nothing in it launches one",
                "options": [], "device": "none", "seconds": 0, "command": f"bench/audit.py run --mirrors DIR --only {entry.source}/{entry.name}"}
    folder = pathlib.Path(tempfile.mkdtemp(prefix="audit-", dir=work))
    words = prepare(entry, options, folder)
    subprocess.run([harness, "init", "mine"], cwd=folder, check=True, capture_output=True)
    words = [f"../{w}" if w in ("kernel.cu", "ds") else w for w in words]
    name = re.sub(r"\W+", "_", f"{entry.source}_{entry.name}").lower()[:48]
    answers, begin = [], time.monotonic()
    while True:
        command = [harness, "adopt", *words, *answers, "--name", name, "--yes", "--device", options.device]
        status, out, said = call(command, folder / "mine", max(5, options.seconds - (time.monotonic() - begin)))
        answer = proposed(said, answers) if status == 2 else []
        if not answer or len(answers) >= 10:
            break
        if not answer[0].startswith("-"):  # another kernel or function in the place of the one before
            answers = [word for at, word in enumerate(answers) if word.startswith("-") or answers[at - 1].startswith("-") and at]
            answers = [*answer, *answers]
        else:
            answers += answer
    outcome, why = verdict(status, out, said)
    if options.keep:
        (folder / "said.txt").write_text(out + said)
    made = folder / "mine/kernels" / name
    if options.plugins and (made / "kernel.lua").exists():
        shutil.rmtree(options.plugins / name, ignore_errors=True)
        shutil.copytree(made, options.plugins / name)
        (options.plugins / name / "audit.json").write_text(json.dumps(entry.row()) + "\n")
    return {**entry.row(), "outcome": outcome, "why": why[:600], "options": answers, "device": options.device,
            "seconds": round(time.monotonic() - begin, 1),
            "command": f"bench/audit.py run --mirrors DIR --device {options.device} --only {shlex.quote(entry.source + '/' + entry.name)}"}


def run(options):
    harness = os.environ.get("HARNESS", str(pathlib.Path(__file__).resolve().parent.parent / "build/release/harness"))
    os.environ.setdefault("HARNESS_HOME", str(pathlib.Path(__file__).resolve().parent.parent))
    work = pathlib.Path(tempfile.mkdtemp(prefix="audit-"))
    begin = time.monotonic()
    known = options.out.read_text().splitlines() if options.out and options.out.exists() else []
    done = {(row["source"], row["name"], row["device"]) for row in map(json.loads, known)}
    for entry in entries(options):
        if (entry.source, entry.name, options.device) in done or (entry.source, entry.name, "none") in done:
            continue
        if options.budget and time.monotonic() - begin > options.budget:
            break
        row = one(entry, options, harness, work)
        print(f"{row['outcome']:12} {entry.source}/{entry.name}  {row['seconds']} s  {row['why'][:300]}", flush=True)
        if options.out:
            with options.out.open("a") as file:
                file.write(json.dumps(row) + "\n")
    if not options.keep:
        shutil.rmtree(work, ignore_errors=True)


def judge(options):
    """Every plugin of a folder, evaluated on a device as its kernel's author wrote it."""
    harness = os.environ.get("HARNESS", str(pathlib.Path(__file__).resolve().parent.parent / "build/release/harness"))
    os.environ.setdefault("HARNESS_HOME", str(pathlib.Path(__file__).resolve().parent.parent))
    work, begin = pathlib.Path(tempfile.mkdtemp(prefix="audit-")), time.monotonic()
    subprocess.run([harness, "init", "mine"], cwd=work, check=True, capture_output=True)
    rows = []
    for plugin in sorted(options.folder.iterdir()):
        left = options.budget - (time.monotonic() - begin) if options.budget else options.seconds
        if not (plugin / "kernel.lua").exists() or left < 5:
            continue
        shutil.copytree(plugin, work / "mine/kernels" / plugin.name)
        source = json.loads((plugin / "audit.json").read_text())
        at = time.monotonic()
        command = [harness, "eval", plugin.name, "00_original", "--device", options.device, "--json"]
        status, out, said = call(command, work / "mine", min(left, options.seconds))
        told = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        told = next((one for one in told if "gates" in one), {})
        failed = [f"{g['name']}: {g['detail']}" for g in told.get("gates", []) if g.get("passed") is False]
        outcome = told.get("outcome") or ("out of time" if status is None else "not evaluated")
        rows.append({**source, "device": options.device, "outcome": outcome, "gates": len(told.get("gates", [])),
                     "why": (failed or [str((told.get("error") or {}).get("message") or said.strip()[-400:])])[0][:600],
                     "workload": told.get("workload"), "time_ns": told.get("time_ns"), "seconds": round(time.monotonic() - at, 1),
                     "command": " ".join(["harness", *command[1:]])})
        print(f"{outcome:12} {plugin.name}  {rows[-1]['seconds']} s  {'' if outcome == 'passed' else rows[-1]['why'][:200]}", flush=True)
        if options.out:
            options.out.write_text(json.dumps(rows, indent=1) + "\n")
    shutil.rmtree(work, ignore_errors=True)


def table(options):
    rows = {}
    for line in options.folder.read_text().splitlines():
        one = json.loads(line)
        rows[one["source"], one["name"], one["device"]] = one  # the last run of each
    counts = {}
    for row in rows.values():
        counts.setdefault(row["source"], {}).setdefault(row["outcome"], 0)
        counts[row["source"]][row["outcome"]] += 1
    kinds = ["passed", "refused", "not judged", "not in", "out of time", "never launched"]
    print("| source | tried | " + " | ".join(kinds) + " |\n|---|" + "--:|" * (len(kinds) + 1))
    for source, by in counts.items():
        print(f"| {source} | {sum(by.values())} | " + " | ".join(str(by.get(k, 0)) for k in kinds) + " |")
    print()
    if any(row.get("traces") for row in rows.values()):
        print("| solution with traces | its traces | here |\n|---|---|---|")
        for row in rows.values():
            if row.get("traces"):
                print(f"| {row['name']} | {', '.join(f'{n} {s}' for s, n in row['traces'].items())} | {row['outcome']} |")
        print()
    for row in rows.values():
        if row["outcome"] not in ("passed", "never launched"):
            print(f"- {row['source']}/{row['name']} ({row['path']}): {row['outcome']}: {row['why']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["list", "run", "judge", "table"])
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--mirrors", type=pathlib.Path)
    parser.add_argument("--plugins", type=pathlib.Path)
    parser.add_argument("--from", dest="source", choices=list(SOURCES))
    parser.add_argument("--only", action="append")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--budget", type=float)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    if options.what == "list":
        for entry in entries(options):
            row = entry.row()
            print(f"{entry.source}/{entry.name}\t{row['repository']}\t{row['commit']}\t{entry.path}")
        return
    {"run": run, "judge": judge, "table": table}[options.what](options)


if __name__ == "__main__":
    sys.exit(main())
