#!/usr/bin/env python3
"""Where the host time of one eager call of a package's PyTorch operator goes, on a GPU.

    python3 bench/eager_call.py PACKAGE [WORKLOAD]

Prints one JSON line: microseconds a call, the least of sixty rounds of 200 calls that nothing waits for, of

    run             the module's function, as users call it
    operator        torch.ops.harness_NAME.run.default, without the module's function around it
    without_autograd  the same in torch.inference_mode()
    launch          the launcher's C function in a loop in C (g++): the driver's launch and our own part of it
    outputs         torch.empty_strided of what a call returns
    nothing         a Python function that takes the same arguments
    torch           PyTorch's own attention or softmax, where the package is of one of these

Made for harness package of kernels/attention and kernels/softmax (bench/package_check.py checks the same packages).
"""
import ctypes
import importlib
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from package_check import CASES  # noqa: E402

CALLS, ROUNDS = 200, 60


def least_us(call):
    call()
    best = 1e30
    for _ in range(ROUNDS):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(CALLS):
            call()
        best = min(best, time.perf_counter() - begin)
    torch.cuda.synchronize()
    return round(best / CALLS * 1e6, 3)


def launch_us(op, folder, described, arguments):
    """NAME_run in a loop in C, on tensors that stay."""
    name, contract = described["name"], op.contract
    tensors, scalars, asked = op._split(op._ours(arguments, {}))
    plan = op._plan(None, tensors, asked)
    outputs = [torch.empty_strided(shape, strides, dtype=dtype, device="cuda") for shape, strides, dtype in plan.outputs]
    workspace = torch.empty(max(plan.workspace, 1), dtype=torch.uint8, device="cuda")
    held = {a["name"]: t for a, t in [*zip(contract.READ, tensors), *zip(contract.OUTPUTS, outputs)]}
    values = {a["name"]: v for a, v in zip(contract.SCALARS, scalars)}
    words, pointers = [], []
    for argument in contract.ARGUMENTS:
        if argument["kind"] == "scalar":
            words.append(repr(values[argument["name"]]))
        else:
            there = plan.present[argument["name"]]
            words.append(f"Any{{p[{len(pointers)}]}}")
            pointers.append(held[argument["name"]].data_ptr() if there else None)
    source = (f"#include <chrono>\n#include \"{name}.h\"\n"
              "struct Any { void* to; template <typename T> operator T*() const { return (T*)to; } };\n"
              f"extern \"C\" double loop(decltype({name}_run)* run, {name}_sizes* w, void** p, void* space, size_t bytes, void* stream) {{\n"
              "  const auto begin = std::chrono::steady_clock::now();\n"
              f"  for (int i = 0; i < {CALLS}; ++i) if (run(w, {', '.join(words)}, space, bytes, stream)) return -1;\n"
              "  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();\n}\n")
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place) / "loop.cpp"
        path.write_text(source)
        subprocess.run(["g++", "-std=c++17", "-O2", "-fPIC", "-shared", f"-I{folder / 'include'}", str(path), "-o", place + "/loop.so"], check=True)
        loop = ctypes.CDLL(place + "/loop.so").loop
        loop.restype = ctypes.c_double
        given = (ctypes.c_void_p * len(pointers))(*pointers)
        run = ctypes.cast(getattr(op._lib(), f"{name}_run"), ctypes.c_void_p)
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        times = []
        for _ in range(ROUNDS):
            torch.cuda.synchronize()
            times.append(loop(run, plan.pointer, given, ctypes.c_void_p(workspace.data_ptr()), ctypes.c_size_t(plan.workspace), stream))
    assert min(times) > 0
    return round(min(times) / CALLS * 1e6, 3), plan.outputs


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    described = json.loads((folder / "kernel.json").read_text())
    name = described["name"]
    sys.path.insert(0, str(folder / "python"))
    torch.zeros(1, device="cuda")
    op = importlib.import_module(name)
    op.load()
    for row in described["workloads"]:
        if len(sys.argv) > 2 and row["workload"] != sys.argv[2]:
            continue
        _, theirs, arguments, _ = CASES[name if name in CASES else "any"](op, row["values"])
        operator = getattr(torch.ops, "harness_" + name).run.default
        line = {"package": name, "workload": row["workload"], "choice": op.choice(*arguments)["variant"], "path": op.path()[0],
                "torch_version": torch.__version__}
        line["run"] = least_us(lambda: op.run(*arguments))
        line["operator"] = least_us(lambda: operator(*arguments))
        with torch.inference_mode():
            line["without_autograd"] = least_us(lambda: operator(*arguments))
        line["launch"], outputs = launch_us(op, folder, described, arguments)

        def make_outputs():
            return [torch.empty_strided(shape, strides, dtype=dtype, device="cuda") for shape, strides, dtype in outputs]

        line["outputs"] = least_us(make_outputs)
        line["nothing"] = least_us(lambda: (lambda *given: None)(*arguments))
        line["torch"] = least_us(theirs)
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
