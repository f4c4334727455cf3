#!/usr/bin/env python3
"""What PyTorch takes for the mixtures of experts of kernels/fused_moe.

    harness kernels --json | python3 bench/torch_moe.py [--seconds N] WORKLOAD...

Ways to write one in PyTorch, each checked against the loop:
    loop      for each expert that was hit: index, linear, SiLU, linear, index_add (waits for the host: no graph)
    grouped   tokens sorted by expert, two grouped products (torch._grouped_mm), weighted sum
    compiled  the same through torch.compile
    gathered  the weights of each token's experts gathered and multiplied, through torch.compile (at most 16 tokens)
Workloads of the two products alone have sorted tokens: grouped and its compiled form.

Calls over eight draws of tokens and logits, so that other experts are hit, in a graph where there is no wait, in bursts
with pauses; the median burst counts. One JSON object a workload and way; what fails says why. After N seconds (150) no
further measurement begins. Needs PyTorch with CUDA, which is no part of this project.
"""
import gc
import json
import statistics
import sys
import time

import torch
from torch.nn.functional import linear, silu

DRAWS = 8
BURST_MS = 10
BURSTS = 9
PAUSE_S = 0.03
MOST_GATHERED = 8e9  # bytes
WAYS = ["grouped", "compiled", "gathered", "loop"]
METHOD = f"a graph of calls over {DRAWS} draws of tokens and logits, median of {BURSTS} bursts"

grouped_mm = getattr(torch, "_grouped_mm", None) or getattr(torch.nn.functional, "grouped_mm", None)


def weights_of(w):
    experts = w["E"] + w["shared"]
    draw = lambda rows, columns: torch.randn(experts, rows, columns, device="cuda", dtype=torch.bfloat16).mul_(columns ** -0.5)
    return draw(2 * w["I"], w["H"]), draw(w["H"], w["I"])


def draws_of(w):
    for _ in range(DRAWS):
        x = torch.randn(w["T"], w["H"], device="cuda", dtype=torch.bfloat16)
        popular = 1.5 * torch.randn(w["E"], device="cuda") if w["routing"] == 1 else 0
        if w["routed"]:
            yield x, torch.randn(w["T"], w["E"], device="cuda") + popular
        else:
            counts = torch.bincount(torch.randint(w["E"], (w["T"],), device="cuda"), minlength=w["E"])
            yield x, counts.cumsum(0).to(torch.int32)


def route(logits, w):
    weight, expert = torch.topk(torch.softmax(logits, -1), w["K"])
    weight = weight / weight.sum(-1, keepdim=True)
    if w["shared"]:
        weight = torch.cat([weight, torch.ones_like(weight[:, :1])], 1)
        expert = torch.cat([expert, torch.full_like(expert[:, :1], w["E"])], 1)
    return weight, expert


def products(rows, ends, gate_up, down):
    gate, up = grouped_mm(rows, gate_up.transpose(-2, -1), offs=ends).chunk(2, -1)
    return grouped_mm(silu(gate) * up, down.transpose(-2, -1), offs=ends)


def grouped(x, logits, gate_up, down, w):
    if not w["routed"]:
        return products(x, logits, gate_up, down)
    weight, expert = route(logits, w)
    flat = expert.flatten()
    order = torch.argsort(flat)
    ends = torch.zeros(gate_up.shape[0], device="cuda", dtype=torch.int32).scatter_add_(0, flat, torch.ones_like(flat, dtype=torch.int32)).cumsum(0).to(torch.int32)
    outer = products(x[order // expert.shape[1]], ends, gate_up, down)
    back = torch.empty_like(outer)
    back[order] = outer
    return (back.view(*expert.shape, -1).float() * weight[..., None]).sum(1).to(x.dtype)


def gathered(x, logits, gate_up, down, w):
    weight, expert = route(logits, w)
    gate, up = torch.einsum("th,tkih->tki", x, gate_up[expert]).chunk(2, -1)
    outer = torch.einsum("tki,tkhi->tkh", silu(gate) * up, down[expert])
    return (outer.float() * weight[..., None]).sum(1).to(x.dtype)


def loop(x, logits, gate_up, down, w):
    weight, expert = route(logits, w)
    y = torch.zeros(x.shape, device="cuda", dtype=torch.float32)
    for e in torch.unique(expert).tolist():
        token, which = torch.where(expert == e)
        gate, up = linear(x[token], gate_up[e]).chunk(2, -1)
        y.index_add_(0, token, linear(silu(gate) * up, down[e]).float() * weight[token, which, None])
    return y.to(x.dtype)


def microseconds(calls, in_graph):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(2):
            begin.record(stream)
            for call in calls:
                call()
            end.record(stream)
            torch.cuda.synchronize()
        each = begin.elapsed_time(end) / len(calls)
        count = max(1, min(400, int(BURST_MS / max(each, 1e-3))))
        run = lambda: [calls[i % len(calls)]() for i in range(count)]
        if in_graph:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=stream):
                run()
            run = graph.replay
        samples = []
        for _ in range(BURSTS):
            time.sleep(PAUSE_S)
            begin.record(stream)
            run()
            end.record(stream)
            torch.cuda.synchronize()
            samples.append(1e3 * begin.elapsed_time(end) / count)
    return statistics.median(samples)


def measure(w, way, weights):
    line = {"kernel": "fused_moe", "workload": w["name"], "backend": way, "program": f"PyTorch {torch.__version__.partition('+')[0]} {way}",
            "method": METHOD if way != "loop" else METHOD.replace("a graph of calls", "eager calls")}
    try:
        function = {"grouped": grouped, "loop": loop, "gathered": gathered, "compiled": grouped}[way]
        if way in ("compiled", "gathered"):
            torch._dynamo.reset()
            function = torch.compile(function, dynamic=False)
        draws = list(draws_of(w))
        if way != "loop" and w["routed"]:
            want, got = (f(*draws[0], *weights, w).float() for f in (loop, function))
            line["off"] = ((got - want).norm() / want.norm()).item()
        calls = [lambda draw=draw: function(*draw, *weights, w) for draw in draws]
        line["time_us"] = microseconds(calls, way != "loop")
        rows = w["T"] * (w["K"] + w["shared"])
        line["tflops"] = 6e-6 * rows * w["H"] * w["I"] / line["time_us"]
    except Exception as error:  # whatever a way needs may be missing here
        line["refused"] = (str(error).splitlines() or [type(error).__name__])[0][:200]
    return line


def main():
    arguments, seconds = sys.argv[1:], 150.0
    if arguments[:1] == ["--seconds"]:
        seconds, arguments = float(arguments[1]), arguments[2:]
    kernel = next(each for each in json.load(sys.stdin) if each["name"] == "fused_moe")
    chosen = [w for w in kernel["workloads"] if w["name"] in arguments or set(arguments) & set(w["sets"])]
    torch.manual_seed(0)
    began, shape, weights = time.time(), None, None
    model = lambda w: (w["E"], w["H"], w["I"], w["shared"])
    with torch.no_grad():
        for w in sorted(chosen, key=model):
            for way in WAYS:
                rows = w["T"] * (w["K"] + w["shared"])
                if way == "gathered" and (w["T"] > 16 or 6 * rows * w["H"] * w["I"] > MOST_GATHERED) or way in ("gathered", "loop") and not w["routed"]:
                    continue
                if time.time() - began > seconds:
                    return
                if model(w) != shape:
                    weights = None
                    gc.collect()
                    torch.cuda.empty_cache()
                    shape, weights = model(w), weights_of(w)
                print(json.dumps(measure(w, way, weights)), flush=True)


if __name__ == "__main__":
    main()
