"""C = A B in half precision with blocks in groups, sums in f32; tuned over a list of tiles."""
import torch
import triton
import triton.language as tl


def tiles():
    return [
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64, "GROUP": 8}, num_stages=3, num_warps=8),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "GROUP": 8}, num_stages=4, num_warps=4),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 32, "GROUP": 8}, num_stages=4, num_warps=4),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32, "GROUP": 8}, num_stages=5, num_warps=2),
    ]


@triton.autotune(configs=tiles(), key=["M", "N", "K"])
@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr):
    program = tl.program_id(0)
    blocks_m, blocks_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    group = program // (GROUP * blocks_n)
    first = group * GROUP
    height = min(blocks_m - first, GROUP)
    block_m = first + (program % (GROUP * blocks_n)) % height
    block_n = (program % (GROUP * blocks_n)) // height
    rows = (block_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    columns = (block_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    depth = tl.arange(0, BLOCK_K)
    a = a_ptr + rows[:, None] * stride_am + depth[None, :] * stride_ak
    b = b_ptr + depth[:, None] * stride_bk + columns[None, :] * stride_bn
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        left = K - k * BLOCK_K
        sums = tl.dot(tl.load(a, mask=depth[None, :] < left, other=0.0),
                      tl.load(b, mask=depth[:, None] < left, other=0.0), sums)
        a += BLOCK_K * stride_ak
        b += BLOCK_K * stride_bk
    out_rows = block_m * BLOCK_M + tl.arange(0, BLOCK_M)
    out_columns = block_n * BLOCK_N + tl.arange(0, BLOCK_N)
    c = c_ptr + stride_cm * out_rows[:, None] + stride_cn * out_columns[None, :]
    tl.store(c, sums.to(c_ptr.dtype.element_ty), mask=(out_rows[:, None] < M) & (out_columns[None, :] < N))


def matmul(a, b):
    assert a.shape[1] == b.shape[0]
    M, K = a.shape
    K, N = b.shape
    c = torch.empty((M, N), device=a.device, dtype=torch.float16)
    grid = lambda META: (triton.cdiv(M, META["BLOCK_M"]) * triton.cdiv(N, META["BLOCK_N"]),)  # noqa: E731
    matmul_kernel[grid](a, b, c, M, N, K, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1))
    return c


def inputs(m=4096, n=4096, k=4096):
    return [torch.randn(m, k, dtype=torch.float16), torch.randn(k, n, dtype=torch.float16)]


def reference(a, b):
    return torch.matmul(a, b)
