#pragma once
#include <harness/pack.cuh>
#include <harness/site.cuh>

// The tensor core's product of 16 x 16 by 16 x 8 that a warp executes together: PTX ISA, mma.m16n8k16 (sm_80).
//
// With group = lane / 4 and pair = lane % 4, a lane holds (two elements a register, the lower column, or for B the
// lower row, in the lower half):
//   A (16 x 16)        a[0]: row group,      columns 2 pair, 2 pair + 1       a[2]: the same row, columns 8 further
//                      a[1]: row group + 8,  columns 2 pair, 2 pair + 1       a[3]: the same row, columns 8 further
//   B (16 x 8)         b0:   column group,   rows 2 pair, 2 pair + 1          b1:   the same column, rows 8 further
//   D (16 x 8, fp32)   d[0], d[1]: row group, columns 2 pair, 2 pair + 1      d[2], d[3]: the same of row group + 8
// So the accumulators of two neighbouring products (columns 0-7 and 8-15), rounded and packed in pairs, are the A
// operand of a next product, with no exchange between lanes: a[0], a[1] from the first, a[2], a[3] from the second.
//
// All 32 lanes execute it together; it touches registers only and orders no memory. Products are exact; they are summed
// in fp32, in an order (and with a rounding of partial sums) that the ISA leaves open.
namespace harness {

/// d += A B. T is __half or __nv_bfloat16.
template <class T>
__device__ inline void mma_m16n8k16(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1 HARNESS_SITE) {
#ifdef __HARNESS_CPU__
  harness_cpu_mma_m16n8k16(kIsBf16<T>, d, a, b0, b1, file, line);
#else
  if constexpr (kIsBf16<T>)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  else
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

}  // namespace harness
