"""Softmax of a few wide rows in two launches: each program finds the maximum and the sum of a part, then all finish."""
import torch
import triton
import triton.language as tl


@triton.jit
def part_kernel(x_ptr, most_ptr, sum_ptr, width, parts, PART: tl.constexpr):
    row, part = tl.program_id(0), tl.program_id(1)
    at = part * PART + tl.arange(0, PART)
    x = tl.load(x_ptr + row * width + at, mask=at < width, other=-float("inf")).to(tl.float32)
    most = tl.max(x, axis=0)
    tl.store(most_ptr + row * parts + part, most)
    tl.store(sum_ptr + row * parts + part, tl.sum(tl.exp(x - most), axis=0))


@triton.jit
def finish_kernel(x_ptr, most_ptr, sum_ptr, y_ptr, width, parts, PART: tl.constexpr, PARTS: tl.constexpr):
    row, part = tl.program_id(0), tl.program_id(1)
    each = tl.arange(0, PARTS)
    mosts = tl.load(most_ptr + row * parts + each, mask=each < parts, other=-float("inf"))
    most = tl.max(mosts, axis=0)
    total = tl.sum(tl.load(sum_ptr + row * parts + each, mask=each < parts, other=0.0) * tl.exp(mosts - most), axis=0)
    at = part * PART + tl.arange(0, PART)
    x = tl.load(x_ptr + row * width + at, mask=at < width, other=0.0).to(tl.float32)
    tl.store(y_ptr + row * width + at, tl.exp(x - most) / total, mask=at < width)


def split_softmax(x):
    rows, width = x.shape
    PART = 4096
    parts = triton.cdiv(width, PART)
    y = torch.empty_like(x)
    most = torch.empty((rows, parts), dtype=torch.float32, device=x.device)
    total = torch.empty((rows, parts), dtype=torch.float32, device=x.device)
    part_kernel[(rows, parts)](x, most, total, width, parts, PART=PART, num_warps=8)
    finish_kernel[(rows, parts)](x, most, total, y, width, parts, PART=PART, PARTS=triton.next_power_of_2(parts), num_warps=8)
    return y


def inputs(rows=16, width=131072):
    return [torch.randn(rows, width)]


def reference(x):
    return torch.softmax(x, dim=1)
