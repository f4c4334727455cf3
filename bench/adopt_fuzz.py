#!/usr/bin/env python3
"""Runs `harness adopt` on spoiled copies of CUDA files, and reports what no input may do.

    bench/adopt_fuzz.py build/release/harness --seconds 600 --seed 1 examples/ordinary [FILE.cu or FOLDER ...]

A copy loses a line, swaps two neighbouring words, changes a number, or loses what defines a name of its launch.
Reported are: an end by a signal or an exit status that harness does not have, an end without any sentence, words of a
crash (terminate, assertion, sanitizer), runs that did not end within --deadline seconds, and silent guesses: a plugin
of a launch one of whose names nothing defines any more. A refusal is no fault, and neither is a check that fails.
The spoiled file of each fault is kept in --keep.
"""
import argparse
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

STATUSES = {0, 1, 2, 3}
CRASHES = re.compile(r"terminate called|Assertion|AddressSanitizer|std::out_of_range|std::bad_alloc|vector::|basic_string")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("harness")
    parser.add_argument("sources", nargs="+")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--deadline", type=float, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", default="")
    return parser.parse_args()


def files_in(sources):
    files = []
    for source in map(pathlib.Path, sources):
        files += sorted(source.rglob("*.cu")) + sorted(source.rglob("*.cuh")) if source.is_dir() else [source]
    return [file for file in files if "__global__" in file.read_text(errors="replace")]


def kernels_of(text):
    return re.findall(r"__global__[^;{}()]*?(?:__launch_bounds__\s*\([^()]*\)[^;{}()]*?)?(\w+)\s*\(", text)


def without_a_line(text, draw):
    lines = text.split("\n")
    del lines[draw.randrange(len(lines))]
    return "\n".join(lines)


def with_words_swapped(text, draw):
    words = list(re.finditer(r"\w+|[^\w\s]", text))
    if len(words) < 2:
        return text
    i = draw.randrange(len(words) - 1)
    a, b = words[i], words[i + 1]
    return text[: a.start()] + b.group() + text[a.end() : b.start()] + a.group() + text[b.end() :]


def with_another_number(text, draw):
    numbers = list(re.finditer(r"\b\d+\b", text))
    if not numbers:
        return text
    number = draw.choice(numbers)
    return text[: number.start()] + draw.choice(["0", "1", "3", "-1", "4294967296", "7919"]) + text[number.end() :]


def with_a_piece_cut(text, draw):
    begin = draw.randrange(max(1, len(text)))
    return text[:begin] + text[begin + draw.randrange(40) :]


def without_a_definition(text, draw):
    """The text without all lines that give a name of a launch its value, and that name; ("", "") where there is none."""
    names = set()
    for configuration in re.findall(r"<<<(.*?)>>>", text, re.S):
        names |= set(re.findall(r"(?<![\w.])([A-Za-z_]\w*)(?!\s*[\w(.])", configuration))
    defines = r"^\s*#\s*define\s+{0}\b|\b{0}\s*(?:=(?!=)|\(\s*\d)"
    parameter = r"[\w>*&]\s+[*&]?{0}\s*[,)]"
    names = [name for name in sorted(names) if re.search(defines.format(name), text, re.M)
             and not re.search(parameter.format(name), text) and not re.search(r"\b{0}\s*\.".format(name), text)]
    if not names:
        return "", ""
    name = draw.choice(names)
    lines = [line for line in text.split("\n") if not re.search(defines.format(name), line)]
    kept = "\n".join(lines)
    launched = re.search(r"<<<[^>]*\b{0}\b".format(name), kept)
    return (kept, name) if launched else ("", "")


SPOIL = [without_a_line, with_words_swapped, with_another_number, with_a_piece_cut]


def adopted(harness, text, kernel, deadline):
    """Status, output and seconds of one run; a status of None: it did not end."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "kernels").mkdir()
        (place / "spoiled.cu").write_text(text)
        command = [harness, "adopt", str(place / "spoiled.cu"), kernel, "--yes"]
        command += ["--kernels", str(place / "kernels"), "--db", str(place / "store.db")]
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        try:
            output, _ = process.communicate(timeout=deadline)
            return process.returncode, output, time.monotonic() - begin
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
            try:
                output, _ = process.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                output, _ = process.communicate()
            return None, output, time.monotonic() - begin


def fault_of(status, output, undefined):
    if undefined and "wrote " in output:
        return f"a silent guess: nothing defines '{undefined}' of its launch"
    if status is None:
        return "did not end"
    if status not in STATUSES:
        return f"ended with status {status}"
    if CRASHES.search(output):
        return "speaks of a crash: " + CRASHES.search(output).group()
    return "" if output.strip() else "ended without a sentence"


def main():
    options = arguments()
    draw = random.Random(options.seed)
    files = files_in(options.sources)
    if not files:
        sys.exit("no file with a __global__ function")
    end = time.monotonic() + options.seconds
    runs, faults, ends, longest = 0, 0, {}, 0.0
    while time.monotonic() < end:
        file = draw.choice(files)
        text = file.read_text(errors="replace")
        kernel = draw.choice(kernels_of(text) or ["kernel"])
        spoiled, undefined = without_a_definition(text, draw) if draw.random() < 0.3 else ("", "")
        if undefined:
            text = spoiled
        for _ in range(0 if undefined else draw.choice([1, 1, 2, 4])):
            text = draw.choice(SPOIL)(text, draw)
        status, output, seconds = adopted(options.harness, text, kernel, options.deadline)
        runs += 1
        longest = max(longest, seconds)
        ends[status] = ends.get(status, 0) + 1
        fault = fault_of(status, output, undefined)
        if not fault:
            continue
        faults += 1
        print(f"{file.name} {kernel}: {fault} after {seconds:.0f} s")
        print("  " + "\n  ".join(output.strip().splitlines()[-3:]), flush=True)
        if options.keep:
            pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
            (pathlib.Path(options.keep) / f"{runs}_{kernel}_{file.name}").write_text(text)
    print(f"{runs} runs, {faults} faults; by status: {ends}; the longest took {longest:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
