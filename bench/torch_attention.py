#!/usr/bin/env python3
"""What PyTorch's attention takes on the workloads of kernels/attention, beside what bench/attention_bench measured, or
its gradients on those of kernels/attention_backward.

    harness kernels --json | python3 bench/torch_attention.py [--backward] WORKLOAD...

Each backend in a graph of calls over at most 24 input sets (150 MB where they are large: small workloads stay in the L2 and
are to be compared with warm times), random inputs, in bursts of about 10 ms with
pauses; the median burst counts. One JSON object a workload and backend; a backend that refuses a workload is told with
its reason. Needs PyTorch with CUDA, which is no part of this project.

What `bench/h200.sh torch` makes of them, `harness import --outside FILE` takes into a store, as figures of an outside program.
"""
import json
import statistics
import sys
import time

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION,
            "efficient": SDPBackend.EFFICIENT_ATTENTION}
SETS_BYTES = 150e6
BURST_MS = 10
BURSTS = 15
PAUSE_S = 0.05
METHOD = f"warm: a graph of calls over input sets of at most {SETS_BYTES / 1e6:.0f} MB, median of {BURSTS} bursts"


def inputs(w, backward):
    dtype = {"f16": torch.float16, "bf16": torch.bfloat16}[w["dtype"]]
    elements = w["B"] * w["D"] * (2 * w["Hq"] * w["Sq"] + 2 * w["Hkv"] * w["Sk"])
    count = max(1, min(24, int(SETS_BYTES / (2 * elements))))
    draw = lambda heads, rows: torch.randn(w["B"], heads, rows, w["D"], device="cuda", dtype=dtype, requires_grad=backward)
    return [(draw(w["Hq"], w["Sq"]), draw(w["Hkv"], w["Sk"]), draw(w["Hkv"], w["Sk"])) for _ in range(count)]


def gradients(q, k, v, options):
    """Gradients alone: forward runs here, once, on the stream on which autograd then runs its backward."""
    o = scaled_dot_product_attention(q, k, v, **options)
    d_o = torch.randn_like(o)
    return lambda: torch.autograd.grad(o, (q, k, v), d_o, retain_graph=True)


def microseconds(make_calls):
    stream, begin, end = torch.cuda.Stream(), torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    with torch.cuda.stream(stream):
        calls = make_calls()
        for call in calls:  # a first round builds what the library builds once
            call()
        begin.record(stream)
        for call in calls:
            call()
        end.record(stream)
        torch.cuda.synchronize()
        each = begin.elapsed_time(end) / len(calls)
        count = max(len(calls), min(400, int(BURST_MS / max(each, 1e-3))))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for i in range(count):
                calls[i % len(calls)]()
        samples = []
        for burst in range(BURSTS + 1):
            time.sleep(PAUSE_S)
            begin.record(stream)
            graph.replay()
            end.record(stream)
            torch.cuda.synchronize()
            if burst > 0:
                samples.append(1e3 * begin.elapsed_time(end) / count)
    return statistics.median(samples)


def measure(w, backend, backward):
    line = {"kernel": "attention_backward" if backward else "attention", "workload": w["name"], "backend": backend, "program": f"PyTorch {torch.__version__.partition('+')[0]} {backend}",
            "method": METHOD}
    options = {"is_causal": w["causal"], "enable_gqa": w["Hq"] != w["Hkv"]}
    try:
        with sdpa_kernel(BACKENDS[backend]), torch.set_grad_enabled(backward):
            forward = lambda q, k, v: lambda: scaled_dot_product_attention(q, k, v, **options)
            call = (lambda q, k, v: gradients(q, k, v, options)) if backward else forward
            line["time_us"] = microseconds(lambda: [call(*each) for each in inputs(w, backward)])
    except RuntimeError as error:
        line["refused"] = str(error).splitlines()[0][:200]
    return line


def main():
    backward = sys.argv[1:2] == ["--backward"]
    wanted = sys.argv[2 if backward else 1:]
    name = "attention_backward" if backward else "attention"
    kernel = next(each for each in json.load(sys.stdin) if each["name"] == name)
    torch.manual_seed(0)
    for w in kernel["workloads"]:
        if w["name"] not in wanted and not set(wanted) & set(w["sets"]):
            continue
        if w["causal"] and w["Sq"] != w["Sk"]:  # its mask is aligned to the other corner
            continue
        for backend in BACKENDS:
            print(json.dumps(measure(w, backend, backward)), flush=True)


if __name__ == "__main__":
    main()
