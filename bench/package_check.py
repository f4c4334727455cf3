#!/usr/bin/env python3
"""Packages of attention and softmax in a PyTorch program, on a GPU: right, in a graph, compiled, and how fast.

    python3 bench/package_check.py ATTENTION_PACKAGE SOFTMAX_PACKAGE

Each measured workload of a package is called on tensors, compared with PyTorch, and timed beside it. Prints one JSON
line a workload, and ends with status 1 where something is wrong. Made for harness package of kernels/attention and
kernels/softmax; a path that is "-" is left out.
"""
import importlib
import json
import pathlib
import sys
import time

import torch

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


def check(package, make_case):
    folder = pathlib.Path(package).resolve()
    described = json.loads((folder / "kernel.json").read_text())
    sys.path.insert(0, str(folder / "python"))
    op = importlib.import_module(described["name"])
    begin = time.perf_counter()
    op.load()
    print(json.dumps({"package": described["name"], "load_ms": (time.perf_counter() - begin) * 1e3}), flush=True)
    good = True
    for row in described["workloads"]:
        ours, theirs, arguments, dtype = make_case(op, row["values"])
        expected = theirs()
        error = distance(ours(), expected)
        graphed = distance(in_graph(ours), expected)
        compiled = distance(torch.compile(ours)(), expected)
        right = max(error, graphed, compiled) <= TOLERANCE[dtype]
        good = good and right
        line = {"workload": row["workload"], "choice": op.choice(*arguments)["variant"], "right": right, "error": error,
                "in_graph": graphed, "compiled": compiled, "gpu_us": gpu_us(ours), "torch_us": gpu_us(theirs),
                "recorded_us": row.get("time_ns", row["original_ns"]) / 1e3, "host_us": host_us(ours)}
        print(json.dumps(line), flush=True)
    name = getattr(torch.ops, "harness_" + described["name"]).run
    torch.library.opcheck(name.default, arguments)
    print(json.dumps({"package": described["name"], "opcheck": "passed"}), flush=True)
    return good


def main():
    torch.manual_seed(1)
    good = True
    for package, make_case in zip(sys.argv[1:3], (attention_case, softmax_case)):
        if package != "-":
            good = check(package, make_case) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
