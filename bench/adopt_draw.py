#!/usr/bin/env python3
"""Draws public kernels by a seed, and runs `harness adopt` on each with what was typed for it.

    bench/adopt_draw.py draw --seed 91 --count 20 REPOSITORIES MIRRORS WORK > drawn.jsonl
    bench/adopt_draw.py run drawn.jsonl WORK build/release/harness > ran.jsonl
    bench/adopt_draw.py table ran.jsonl

REPOSITORIES is a text file with an owner/name on each line; MIRRORS holds their git directories (owner+name/repo, or
owner+name). `draw` shuffles the names and takes one file with a kernel that has a pointer of each, checks it out into
WORK, and writes repository, commit, file, kernel and what is to be typed: nothing at first. Write answers into "typed"
by hand and run again. `run` keeps each plugin in WORK/plugins, to be read beside the file. Nothing of other people's
code comes into this repository.
"""
import argparse
import json
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import threading
import time

SUFFIXES = {".cu", ".cuh"}
READ = SUFFIXES | {".h", ".hpp", ".hh", ".inl", ".inc", ".cpp", ".cc", ".c", ".py"}  # a mirror may lack large files
KERNEL = re.compile(r"__global__((?:[^;{}()]|\((?:[^()]|\([^()]*\))*\))*?)(\w+)\s*\(([^;{}]*?)\)\s*\{")


def git(directory, *arguments):
    return subprocess.run(["git", "-c", "safe.directory=*", "--git-dir", directory, *arguments], capture_output=True).stdout


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/|__launch_bounds__\s*\([^()]*\)", "", text, flags=re.S)


def kernels_of(text):
    """Names of kernels with a pointer among their parameters."""
    return sorted({found[2] for found in KERNEL.finditer(without_comments(text)) if "*" in found[3]})


def mirror_of(mirrors, name):
    place = pathlib.Path(mirrors) / name.replace("/", "+")
    return place / "repo" if (place / "repo").exists() else place


def checked_out(directory, work, name):
    """The newest commit, with its files below WORK."""
    commit = git(directory, "rev-parse", "HEAD").decode().strip()
    place = pathlib.Path(work) / name.replace("/", "+")
    if commit and not place.exists():
        place.mkdir(parents=True)
        for line in git(directory, "ls-tree", "-r", "-z", commit).decode(errors="replace").split("\0"):
            kind, _, file = line.partition("\t")
            if pathlib.Path(file).suffix not in READ or not kind.startswith("100"):
                continue
            (place / file).parent.mkdir(parents=True, exist_ok=True)
            (place / file).write_bytes(git(directory, "cat-file", "blob", kind.split()[2]))
        subprocess.run(["git", "init", "-q", place], check=False)  # adopt looks for other files in a repository
        subprocess.run(["git", "-C", place, "add", "-A"], check=False, capture_output=True)
    return commit, place


def draw(options):
    names = sorted(set(pathlib.Path(options.repositories).read_text().split()))
    dice = random.Random(options.seed)
    dice.shuffle(names)
    drawn = 0
    for name in names:
        directory = mirror_of(options.mirrors, name)
        if drawn == options.count:
            break
        if not directory.exists():
            print(f"{name} could not be had", file=sys.stderr)
            continue
        commit, place = checked_out(directory, options.work, name)
        files = [file for file in sorted(place.rglob("*")) if file.suffix in SUFFIXES and file.is_file()]
        files = [file for file in files if kernels_of(file.read_text(errors="replace"))]
        if not files:
            print(f"{name} has no kernel with a pointer", file=sys.stderr)
            continue
        file = dice.choice(files)
        kernel = dice.choice(kernels_of(file.read_text(errors="replace")))
        row = {"repository": name, "commit": commit, "file": str(file.relative_to(place)), "kernel": kernel, "typed": []}
        print(json.dumps(row))
        drawn += 1


def adopted(command, deadline):
    """Status (None: it did not end), output, seconds, user seconds, seconds to the first line."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    timer = threading.Timer(deadline, process.terminate)
    timer.start()
    lines, first = [], None
    for line in process.stdout:
        first = first or time.monotonic() - begin
        lines.append(line)
    status = process.wait()
    in_time = time.monotonic() - begin < deadline
    timer.cancel()
    user = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return (status if in_time else None), "".join(lines), time.monotonic() - begin, user, first or 0.0


def verdict_of(status, output):
    if status is None:
        return "no end"
    if status < 0 or status > 3:
        return f"crash ({status})"
    if status == 0:
        return "evaluated"
    if status == 1:
        return "no answer in its time" if "did not end within" in output else "plugin, then rejected"
    last = output.strip().splitlines()[-1] if output.strip() else ""
    return "asks" if re.search(r"give |name one|say --set", last) else "refused"


def run(options):
    plugins = pathlib.Path(options.work) / "plugins"
    for number, text in enumerate(pathlib.Path(options.drawn).read_text().splitlines()):
        row = json.loads(text)
        if options.only and row["kernel"] not in options.only:
            continue
        place = plugins / f"{number:02}_{row['kernel']}"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        file = pathlib.Path(options.work) / row["repository"].replace("/", "+") / row["file"]
        command = [options.harness, "adopt", str(file), row["kernel"], "--yes", "--kernels", str(place)]
        status, output, seconds, user, first = adopted(command + ["--db", str(place / "store.db")] + row["typed"],
                                                       options.deadline)
        (place / "output").write_text(output)
        row.update(verdict=verdict_of(status, output), seconds=round(seconds, 1), user=round(user, 1),
                   first_line=round(first, 2))
        print(json.dumps(row), flush=True)


def table(options):
    rows = [json.loads(text) for text in pathlib.Path(options.ran).read_text().splitlines()]
    print("| repository, commit, file | kernel | typed | result | reading |\n|---|---|---|---|---|")
    for row in rows:
        typed = " ".join(row["typed"])
        print(f"| {row['repository']} {row['commit'][:7]}, `{row['file']}` | `{row['kernel']}` | "
              f"{f'`{typed}`' if typed else ''} | {row['verdict']}, {row['seconds']:.0f} s ({row['user']:.0f}) | "
              f"{row.get('reading', '')} |")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    drawing = commands.add_parser("draw")
    drawing.add_argument("repositories")
    drawing.add_argument("mirrors")
    drawing.add_argument("work")
    drawing.add_argument("--seed", type=int, required=True)
    drawing.add_argument("--count", type=int, default=20)
    drawing.set_defaults(do=draw)
    running = commands.add_parser("run")
    running.add_argument("drawn")
    running.add_argument("work")
    running.add_argument("harness")
    running.add_argument("--deadline", type=float, default=300)
    running.add_argument("--only", nargs="*", default=[])
    running.set_defaults(do=run)
    showing = commands.add_parser("table")
    showing.add_argument("ran")
    showing.set_defaults(do=table)
    return parser.parse_args()


if __name__ == "__main__":
    chosen = arguments()
    chosen.do(chosen)
