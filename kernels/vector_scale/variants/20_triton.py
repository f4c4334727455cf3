# The tutorial's kernel in Triton: a program takes BLOCK elements, and what lies behind the end is masked.
import triton
import triton.language as tl


@triton.jit
def scale(x, y, a, N, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < N
    tl.store(y + at, (a * tl.load(x + at, mask=inside).to(tl.float32)).to(y.dtype.element_ty), mask=inside)
