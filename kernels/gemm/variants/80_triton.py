# The product as Triton's users write it: a tile of d to a program, the loop over K left to the compiler's pipelining,
# which makes wgmma and asynchronous copies of it. GROUP orders the tiles for the L2 (tile_order.cuh says how).
import triton
import triton.language as tl


@triton.jit
def gelu(x):
    # tanh by exponentials: x / 2 (1 + tanh(z)) = x / (1 + exp(-2 z))
    z = 0.7978845608028654 * (x + 0.044715 * x * x * x)
    return x / (1 + tl.exp(-2 * z))


@triton.jit
def gemm(a, b, bias, other, residual, d, M, N, K, lda, ldb, ldd, LINEAR: tl.constexpr, GELU: tl.constexpr, SILU: tl.constexpr,
         BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr):
    rows_of_tiles = tl.cdiv(M, BLOCK_M)
    columns_of_tiles = tl.cdiv(N, BLOCK_N)
    tile = tl.program_id(0)
    first = tile // (GROUP * columns_of_tiles) * GROUP
    height = min(rows_of_tiles - first, GROUP)
    within = tile % (GROUP * columns_of_tiles)
    row = (first + within % height) * BLOCK_M + tl.arange(0, BLOCK_M).to(tl.int64)
    column = within // height * BLOCK_N + tl.arange(0, BLOCK_N).to(tl.int64)
    depth = tl.arange(0, BLOCK_K).to(tl.int64)
    # Rows and columns behind the edge read the first ones, and their results are not stored.
    a_at = a + (row % M)[:, None] * lda + depth[None, :]
    if LINEAR:
        b_at = b + (column % N)[None, :] * ldb + depth[:, None]
    else:
        b_at = b + depth[:, None] * ldb + (column % N)[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        left = K - k * BLOCK_K
        slice_a = tl.load(a_at, mask=depth[None, :] < left, other=0.0)
        slice_b = tl.load(b_at, mask=depth[:, None] < left, other=0.0)
        total = tl.dot(slice_a, slice_b, total)
        a_at += BLOCK_K
        b_at += BLOCK_K if LINEAR else BLOCK_K * ldb
    inside = (row < M)[:, None] & (column < N)[None, :]
    at = row[:, None] * ldd + column[None, :]
    if bias is not None:
        total += tl.load(bias + column, mask=column < N, other=0.0).to(tl.float32)[None, :]
    if GELU:
        total = gelu(total)
    if SILU:
        total = total / (1 + tl.exp(-total))
    if other is not None:
        total *= tl.load(other + at, mask=inside, other=0.0).to(tl.float32)
    if residual is not None:
        total += tl.load(residual + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(d + at, total.to(d.dtype.element_ty), mask=inside)
