#!/usr/bin/env python3
"""Microseconds that PyTorch takes for what the kernels of examples/ordinary do, eagerly and compiled by torch.compile,
one JSON line each: torch_ordinary.py [KERNEL...]. Calls of a burst run as one CUDA graph over input sets that are
together larger than the L2, as the harness times its own; what cannot be captured is timed call by call and says so.
"""
import json
import sys
import time

import torch
import torch.nn.functional as F

from torch_attention import SETS_BYTES, microseconds

torch.backends.cuda.matmul.allow_tf32 = False


def randn(*shape, dtype=torch.float32):
    return torch.randn(*shape, device="cuda", dtype=dtype)


def dot(a, b):
    return (a * b).sum()


def transpose(x):
    return x.t().contiguous()


def row_softmax(x):
    return torch.softmax(x, -1)


def layernorm(x, weight, bias):
    return torch.ops.aten.native_layer_norm(x, [x.shape[-1]], weight, bias, 1e-5)


def rms_norm(x, weight):
    return F.rms_norm(x, [x.shape[-1]], weight, 1e-5)


def silu_and_mul(x):
    half = x.shape[-1] // 2
    return F.silu(x[:, :half]) * x[:, half:]


def histogram(bins, x):
    return bins + torch.bincount(x, minlength=256)


def gemm(a, b, c):
    return torch.addmm(c, a, b, beta=0.5, alpha=0.5)


# Kernel: the operation, what is called eagerly where there is a better word for it, and one set of inputs.
OPERATIONS = {
    "dot": (dot, torch.dot, lambda: (randn(8000000), randn(8000000))),
    "transpose": (transpose, None, lambda: (randn(4096, 2048),)),
    "row_softmax": (row_softmax, None, lambda: (randn(4096, 2048),)),
    "layernorm_forward_kernel": (layernorm, None, lambda: (randn(8192, 768), randn(768), randn(768))),
    "rms_norm_kernel": (rms_norm, None, lambda: (randn(4096, 4096, dtype=torch.bfloat16),
                                                 randn(4096, dtype=torch.bfloat16))),
    "silu_and_mul_kernel": (silu_and_mul, None, lambda: (randn(1024, 8192),)),
    "sgemm_shared_mem_block": (gemm, None, lambda: (randn(2048, 2048), randn(2048, 2048), randn(2048, 2048))),
    # Last: its refused capture leaves the random generator unusable.
    "histogram256": (histogram, None, lambda: (torch.zeros(256, device="cuda", dtype=torch.int64), torch.randint(
        0, 100, (67108864,), device="cuda", dtype=torch.uint8))),
}


def call_by_call(calls):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    samples = []
    for _ in range(10):
        begin.record()
        for call in calls:
            call()
        end.record()
        torch.cuda.synchronize()
        samples.append(1e3 * begin.elapsed_time(end) / len(calls))
    return sorted(samples)[len(samples) // 2]


def measure(kernel, how, operation, sets):
    line = {"kernel": kernel, "how": how}
    kept = [None] * len(sets)  # each set has an output of its own, as in the harness: one alone would stay in the L2

    def call(i):
        kept[i] = operation(*sets[i])

    calls = [lambda i=i: call(i) for i in range(len(sets))]
    began = time.monotonic()
    try:
        with torch.no_grad():
            calls[0]()
            torch.cuda.synchronize()
            line["first_call_s"] = round(time.monotonic() - began, 2)
            try:
                line |= {"time_us": microseconds(calls), "method": "graph"}
            except RuntimeError as error:
                torch.cuda.synchronize()
                line |= {"time_us": call_by_call(calls), "method": "call by call",
                         "why": str(error).splitlines()[0][:160]}
    except Exception as error:  # pylint: disable=broad-except  # the line says what PyTorch cannot do
        line["refused"] = f"{type(error).__name__}: {error}".splitlines()[0][:200]
    return line


def main():
    torch.manual_seed(0)
    for kernel, (operation, eager, make) in OPERATIONS.items():
        if len(sys.argv) > 1 and kernel not in sys.argv[1:]:
            continue
        first = make()
        each = sum(x.numel() * x.element_size() for x in first)
        sets = [first] + [make() for _ in range(max(1, min(24, int(SETS_BYTES / each))))]
        print(json.dumps(measure(kernel, "eager", eager or operation, sets)), flush=True)
        print(json.dumps(measure(kernel, "torch.compile", torch.compile(operation), sets)), flush=True)
    print(json.dumps({"torch": torch.__version__}), flush=True)


if __name__ == "__main__":
    main()
