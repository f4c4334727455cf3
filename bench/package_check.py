#!/usr/bin/env python3
"""Packages of attention and softmax in a PyTorch program, on a GPU: right, in a graph, compiled, and how fast.

    python3 bench/package_check.py ATTENTION_PACKAGE SOFTMAX_PACKAGE [--any PACKAGE]...

Each measured workload of a package is called on tensors, compared with PyTorch, and timed beside it. Each package is
tried in a process of its own for each of its two paths: the operator on PyTorch's stable C interface, and ctypes.
Prints JSON lines, and ends with status 1 where something is wrong. Made for harness package of kernels/attention and
kernels/softmax; a path that is "-" is left out. --any takes a package of any other kernel, whose winners are compared
with its own original on random tensors.

    import_ms   of the module, with PyTorch imported already; load_ms: all cubins into the context
    host_us     of a call, host time, as 200 calls are sent without waiting; torch_host_us: of PyTorch's call
    gpu_us      of a call in a CUDA graph of many; recorded_us and its interval are harness's own
"""
import importlib
import json
import os
import pathlib
import subprocess
import sys
import time

import torch

#: A recorded time has inputs of its own for each call and an L2 that is flushed: one set of tensors may be faster.
SLOWER_THAN_RECORDED = 1.05
HOST_US = {"stable C interface": 10.0, "ctypes": 60.0}
IMPORT_MS = 50.0

TYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}
TOLERANCE = {torch.float16: 5e-3, torch.bfloat16: 2e-2, torch.float32: 1e-4}


def attention_case(op, w):
    dtype = TYPES[w["dtype"]]
    q = torch.randn(w["B"], w["Hq"], w["Sq"], w["D"], dtype=dtype, device="cuda")
    k, v = (torch.randn(w["B"], w["Hkv"], w["Sk"], w["D"], dtype=dtype, device="cuda") for _ in range(2))
    arguments = (q, k, v, w["D"] ** -0.5, w["causal"], w["lse"])
    gqa = {"enable_gqa": True} if w["Hq"] != w["Hkv"] else {}
    mask = None
    if w["causal"] and w["Sq"] != w["Sk"]:  # PyTorch's is_causal aligns to the top left
        mask = torch.ones(w["Sq"], w["Sk"], dtype=torch.bool, device="cuda").tril(w["Sk"] - w["Sq"])
    causal = w["causal"] and mask is None

    def theirs():
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal, **gqa)

    return (lambda: op.run(*arguments)[0]), theirs, arguments, dtype


def softmax_case(op, w):
    x = torch.randn(w["M"], w["N"], dtype=TYPES[w["dtype"]], device="cuda")
    return (lambda: op.run(x)), (lambda: torch.softmax(x, -1)), (x,), x.dtype


def gpu_us(function, repeats=20):
    """Median microseconds of a call within a CUDA graph of many."""
    function()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    function()
    torch.cuda.synchronize()
    calls = max(1, min(50, int(0.02 / (time.perf_counter() - begin))))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            function()
    graph.replay()
    times = []
    for _ in range(repeats):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e3 / calls)
    return sorted(times)[repeats // 2]


def host_us(function, calls=200):
    function()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(calls):
        function()
    spent = time.perf_counter() - begin
    torch.cuda.synchronize()
    return spent / calls * 1e6


def distance(ours, theirs):
    ours, theirs = ours.double(), theirs.double()
    return float((ours - theirs).norm() / theirs.norm())


def in_graph(function):
    """What a graph leaves, recorded on a stream of its own."""
    function()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = function()
    graph.replay()
    torch.cuda.synchronize()
    return out


def interval_of(folder, row):
    """The recorded 95 % interval in microseconds, where the evidence has one."""
    evidence = json.loads((folder / row["evidence"]).read_text()).get("winner") or {}
    interval = evidence.get("time_ci95_ns")
    return [each / 1e3 for each in interval] if interval else None


def any_case(op, contract, row, described):
    """A workload of any kernel: random tensors of the shapes that the contract states."""
    sizes = row["values"]
    types = next(r for r in contract.TYPES if all(sizes[f] == t for f, t in r["fixed"].items()))
    tensors = []
    for argument in contract.READ:
        dtype = op._DTYPES[types["arguments"][argument["name"]]]
        shape, strides = contract.shape_of(argument, sizes), contract.strides_of(argument, sizes)
        made = torch.empty_strided(shape, strides, dtype=dtype, device="cuda")
        made.copy_(torch.randn(shape, device="cuda") if dtype.is_floating_point else
                   torch.randint(0, 2, shape, device="cuda"))
        tensors.append(made)
    scalars = [a.get("as_measured", 1) for a in contract.SCALARS]
    scalars = [value_of if not isinstance(value_of, dict) else contract.value_of(value_of, sizes)
               for value_of in scalars]
    asked = sorted(contract.ASKED, key=lambda field: field["type"] == "flag")
    arguments = (*tensors, *scalars, *(sizes[f["name"]] for f in asked))

    def first(made):
        return made if torch.is_tensor(made) else made[0] if made is not None else tensors[-1]

    return (lambda: first(op.run(*arguments))), (lambda: first(op.run_as(0, *arguments))), arguments, tensors[0].dtype


def check(package, make_case):
    """In this process: by the path that the environment asks for."""
    folder = pathlib.Path(package).resolve()
    described = json.loads((folder / "kernel.json").read_text())
    torch.zeros(1, device="cuda")
    sys.path.insert(0, str(folder / "python"))
    begin = time.perf_counter()
    op = importlib.import_module(described["name"])
    imported = (time.perf_counter() - begin) * 1e3
    begin = time.perf_counter()
    op.load()
    path, why = op.path()
    line = {"package": described["name"], "path": path, "why": why, "import_ms": imported,
            "load_ms": (time.perf_counter() - begin) * 1e3}
    line["fast"] = imported <= IMPORT_MS and line["load_ms"] <= IMPORT_MS
    print(json.dumps(line), flush=True)
    good = True
    for row in described["workloads"]:
        if make_case is any_case:
            ours, theirs, arguments, dtype = any_case(op, op.contract, row, described)
        else:
            ours, theirs, arguments, dtype = make_case(op, row["values"])
        expected = theirs().clone()
        error = distance(ours(), expected)
        graphed = distance(in_graph(ours), expected)
        broken = None
        try:
            compiled = distance(torch.compile(ours, fullgraph=True)(), expected)
        except Exception as why:  # a break in the graph is told, and is no wrong answer
            broken = str(why).split("\n", 1)[0]
            torch._dynamo.reset()
            compiled = distance(torch.compile(ours)(), expected)
        right = max(error, graphed, compiled) <= TOLERANCE.get(dtype, 1e-3)
        recorded, interval, taken = row.get("time_ns", row["original_ns"]) / 1e3, interval_of(folder, row), gpu_us(ours)
        line = {"workload": row["workload"], "choice": op.choice(*arguments)["variant"], "right": right, "error": error,
                "in_graph": graphed, "compiled": compiled, "graph_break": broken, "gpu_us": taken, "torch_us": gpu_us(theirs),
                "recorded_us": recorded, "recorded_ci95_us": interval,
                "as_recorded": taken <= (interval[1] if interval else recorded) * SLOWER_THAN_RECORDED,
                "host_us": host_us(ours), "torch_host_us": host_us(theirs)}
        line["host_within"] = line["host_us"] <= max(HOST_US[path], line["gpu_us"])  # a long kernel fills the queue
        good = good and right and line["as_recorded"]
        print(json.dumps(line), flush=True)
    name = getattr(torch.ops, "harness_" + described["name"]).run
    torch.library.opcheck(name.default, arguments)
    for wrong in (arguments[0][..., :-1], arguments[0].cpu(), arguments[0].double()):
        try:
            op.run(wrong, *arguments[1:])
            good = good and make_case is any_case  # which may take them
            print(json.dumps({"refused": None, "of": str(wrong.shape)}), flush=True)
        except op.Refused as why:
            print(json.dumps({"refused": str(why)}), flush=True)
    print(json.dumps({"package": described["name"], "path": path, "opcheck": "passed"}), flush=True)
    return good


CASES = {"attention": attention_case, "softmax": softmax_case, "any": any_case}


def main():
    torch.manual_seed(1)
    if sys.argv[1] == "--one":
        return 0 if check(sys.argv[3], CASES[sys.argv[2]]) else 1
    asked, given = [], sys.argv[1:]
    for kind, package in zip(("attention", "softmax"), given[:2]):
        asked += [(kind, package)] if package != "-" else []
    asked += [("any", package) for flag, package in zip(given[2::2], given[3::2]) if flag == "--any"]
    good = True
    for kind, package in asked:
        upper = json.loads((pathlib.Path(package) / "kernel.json").read_text())["name"].upper()
        for path in ("", "ctypes"):
            done = subprocess.run([sys.executable, __file__, "--one", kind, package],
                                  env={**os.environ, upper + "_PATH": path})
            good = good and done.returncode == 0
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
