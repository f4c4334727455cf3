#pragma once
#include <harness/wgmma.cuh>

// wgmma of 8, 16 and 32 columns, for products whose second factor is narrow: see wgmma.cuh, which has the wider ones
// and says how operands lie. On the cpu device every width is one function, so nothing is added there.
#ifndef __HARNESS_CPU__
namespace harness::detail {

// clang-format off
#define HARNESS_R8 "%0, %1, %2, %3"
#define HARNESS_D8 "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
#define HARNESS_R16 "%0, %1, %2, %3, %4, %5, %6, %7"
#define HARNESS_D16 "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
#define HARNESS_R32 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define HARNESS_D32 "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
// clang-format on

#define HARNESS_WGMMA(T, type, N, A, B, C, D, E, F, G)                                                        \
  template <>                                                                                                 \
  struct Wgmma<T, N> {                                                                                        \
    template <bool B_TRANSPOSED>                                                                              \
    static __device__ void from_shared(float (&d)[N / 2], unsigned long long a, unsigned long long b,         \
                                       int accumulate) {                                                      \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #C                                                    \
                   ", 0;\n"                                                                                   \
                   "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." type "." type " {" HARNESS_R##N          \
                   "}, %" #A ", %" #B ", p, 1, 1, 0, %" #D ";\n}"                                             \
                   : HARNESS_D##N                                                                             \
                   : "l"(a), "l"(b), "r"(accumulate), "n"(B_TRANSPOSED));                                     \
    }                                                                                                         \
    template <bool B_TRANSPOSED>                                                                              \
    static __device__ void from_registers(float (&d)[N / 2], const unsigned (&a)[4], unsigned long long b,    \
                                          int accumulate) {                                                   \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #F                                                    \
                   ", 0;\n"                                                                                   \
                   "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." type "." type " {" HARNESS_R##N          \
                   "}, {%" #A ", %" #B ", %" #C ", %" #D "}, %" #E ", p, 1, 1, %" #G ";\n}"                   \
                   : HARNESS_D##N                                                                             \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate), "n"(B_TRANSPOSED)); \
    }                                                                                                         \
  };
HARNESS_WGMMA(__half, "f16", 8, 4, 5, 6, 7, 8, 9, 10)
HARNESS_WGMMA(__nv_bfloat16, "bf16", 8, 4, 5, 6, 7, 8, 9, 10)
HARNESS_WGMMA(__half, "f16", 16, 8, 9, 10, 11, 12, 13, 14)
HARNESS_WGMMA(__nv_bfloat16, "bf16", 16, 8, 9, 10, 11, 12, 13, 14)
HARNESS_WGMMA(__half, "f16", 32, 16, 17, 18, 19, 20, 21, 22)
HARNESS_WGMMA(__nv_bfloat16, "bf16", 32, 16, 17, 18, 19, 20, 21, 22)
#undef HARNESS_WGMMA
#undef HARNESS_R8
#undef HARNESS_D8
#undef HARNESS_R16
#undef HARNESS_D16
#undef HARNESS_R32
#undef HARNESS_D32

}  // namespace harness::detail
#endif
