#!/usr/bin/env python3
"""Kernel Tuner on the attention kernel 10_fa1: the same source, compiler and configurations as `bench/h200.sh rate`.

    bench/kernel_tuner.py FOLDER --set-up TUNER CONSTRAINT     fills FOLDER from clones of the two repositories below
    bench/kernel_tuner.py FOLDER --count                       how many configurations there are (no GPU)
    bench/kernel_tuner.py FOLDER [--keys 512] [--width 64]     one JSON line; the clock starts before Kernel Tuner is loaded

Kernel Tuner is no part of this repository. Clone github.com/KernelTuner/kernel_tuner and
github.com/python-constraint/python-constraint; the set-up takes their packages as they are, without compiling anything. Its
other needs (NumPy, SciPy, scikit-learn, CuPy) come from the machine. Where pandas, xmltodict or jsonschema is missing, an
empty module takes its place: they serve files of results, which nothing here reads or writes.

Kernel Tuner has no answer to check here, so it checks nothing. It measures each configuration as it does by default: seven
launches, each between two events, averaged.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import types

MAX_SHARED = 232448  # bytes of shared memory that a block of compute capability 9.0 may have
ROOT = pathlib.Path(__file__).resolve().parent.parent

VALUES = {"block_m": [16, 32, 64, 128], "block_n": [16, 32, 64, 128], "rows": [1, 2, 4, 8], "lanes": [8, 16, 32], "vec": [4, 8],
          "block_size_x": [64, 128, 256, 512]}  # the last by Kernel Tuner's convention: threads of a block


def shared_bytes(p, width):
    return 4 * ((p["block_m"] + 2 * p["block_n"]) * (width + 4) + p["block_m"] * (p["block_n"] + 4))


def restrictions(width):
    """The condition of kernels/attention/variants/10_fa1.lua, in the texts that Kernel Tuner reads."""
    return ["block_size_x * rows == block_m * lanes", "block_n % lanes == 0", f"{width} % lanes == 0", "rows * block_n >= 2 * lanes",
            f"rows * (block_n + {width}) <= 96 * lanes",
            f"4 * ((block_m + 2 * block_n) * ({width} + 4) + block_m * (block_n + 4)) <= {MAX_SHARED}"]


def source(width):
    """The kernel's file as a function with C linkage, its template arguments constants: what Kernel Tuner takes."""
    text = (ROOT / "kernels/attention/variants/10_fa1.cu").read_text()
    template = "template <class T, int D, int BLOCK_M, int BLOCK_N, int ROWS, int LANES, int VEC>\n"
    assert text.count(template) == 1
    constants = f"using T = __half;\nconstexpr int D = {width}, BLOCK_M = block_m, BLOCK_N = block_n, ROWS = rows, LANES = lanes, VEC = vec;\n"
    return text.replace(template, constants + 'extern "C" ')


def set_up(folder, tuner, constraint):
    for clone, package in ((tuner, "kernel_tuner"), (constraint, "constraint")):
        folder.mkdir(parents=True, exist_ok=True)
        packed = subprocess.run(["git", "-C", clone, "archive", "HEAD", package], capture_output=True, check=True).stdout
        subprocess.run(["tar", "x", "-C", folder], input=packed, check=True)
        project = subprocess.run(["git", "-C", clone, "show", "HEAD:pyproject.toml"], capture_output=True, text=True, check=True).stdout
        version = re.search(r'^version = "([^"]+)"', project, re.MULTILINE).group(1)
        revision = subprocess.run(["git", "-C", clone, "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, check=True).stdout
        about = folder / f"{package}-{version}.dist-info"  # what importlib.metadata asks for the version
        about.mkdir(exist_ok=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\nSummary: revision {revision}\n")


def stand_in(name, **what):
    try:
        __import__(name)
    except ImportError:
        sys.modules[name] = types.ModuleType(name)
        for attribute, value in what.items():
            setattr(sys.modules[name], attribute, value)


def load(folder):
    sys.path.insert(0, str(folder))
    stand_in("pandas")
    stand_in("xmltodict")
    stand_in("jsonschema", validate=lambda *_: None)
    import kernel_tuner  # pylint: disable=import-outside-toplevel
    return kernel_tuner


def main():
    began = time.time()
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--keys", type=int, default=512)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--count", action="store_true")
    parser.add_argument("--set-up", nargs=2, metavar=("TUNER", "CONSTRAINT"))
    given = parser.parse_args()
    if given.set_up:
        set_up(given.folder, *given.set_up)
        return
    tuner = load(given.folder)

    if given.count:
        from kernel_tuner.searchspace import Searchspace  # pylint: disable=import-outside-toplevel
        print(Searchspace(VALUES, restrictions(given.width), 1024).size)
        return

    import numpy as np  # pylint: disable=import-outside-toplevel
    from kernel_tuner.observers import BenchmarkObserver  # pylint: disable=import-outside-toplevel

    class LargeSharedMemory(BenchmarkObserver):
        """Over 48 kB of dynamic shared memory are asked for by name, which Kernel Tuner does not do by itself."""

        def register_configuration(self, params):
            self.dev.func.max_dynamic_shared_size_bytes = shared_bytes(params, given.width)

        def get_results(self):
            return {}

    S, D = given.keys, given.width
    draw = np.random.default_rng(1)
    q, k, v = (draw.standard_normal((S, D)).astype(np.float16) for _ in range(3))
    one = np.int32(1)
    arguments = [q, k, v, np.zeros_like(q), np.uint64(0), np.float32(D ** -0.5), one, one, np.int32(S), np.int32(S), np.int32(0)]
    results, _ = tuner.tune_kernel(
        "attention_fa1", source(D), (S, 1), arguments, VALUES, lang="cupy", strategy="random_sample",
        strategy_options={"fraction": 1.0}, restrictions=restrictions(D), grid_div_x=["block_m"],
        smem_args={"size": lambda p: shared_bytes(p, D)}, observers=[LargeSharedMemory()],
        compiler_options=["-std=c++17", f"-I{ROOT}/kernels/include", f"-I{ROOT}/kernels/attention"], quiet=True)
    seconds = time.time() - began
    times = [r["time"] for r in results if isinstance(r["time"], float)]
    print(json.dumps({"what": f"Kernel Tuner {tuner.__version__}, nothing checked", "search_evaluations": len(results), "failed": len(results) - len(times),
                      "s_to_the_last_search_evaluation": seconds, "a_minute_from_the_command": 60 * len(results) / seconds,
                      "best_us": 1000 * min(times, default=float("nan"))}), flush=True)
    os._exit(0)  # CuPy's own end takes seconds that no tuning needs


if __name__ == "__main__":
    main()
