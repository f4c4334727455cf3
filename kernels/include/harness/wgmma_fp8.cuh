#pragma once
#include <cuda_fp8.h>

#include <harness/wgmma.cuh>

// wgmma of e4m3: D[64][N] (+)= A[64][32] B[32][N], both from shared memory and K-major. 32 values of 8 bits are the 32
// bytes that 16 of 16 bits are, so tiles of 128 bytes a row lie and are stepped through as wgmma.cuh says: 128 values
// of k in a row, step k by 32: address + 32 bytes. Sums are kept in registers of 32 bits, of which the tensor cores use
// some 14 bits of fraction (DeepSeek-V3, arXiv:2412.19437, section 3.3.2): whoever adds many adds them up outside now
// and then. PTX ISA, wgmma.mma_async, .e4m3.
namespace harness {
#ifdef __HARNESS_CPU__

template <>
inline constexpr int kWgmmaType<__nv_fp8_e4m3> = 2;

#else
namespace detail {

// clang-format off
#define HARNESS_R64 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define HARNESS_D64 \
  "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), \
  "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), \
  "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), \
  "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
#define HARNESS_R128 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define HARNESS_D128 \
  "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), \
  "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), \
  "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), \
  "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), \
  "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), \
  "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), \
  "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), \
  "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
// clang-format on

#define HARNESS_WGMMA(N, A, B, C)                                                                               \
  template <>                                                                                                   \
  struct Wgmma<__nv_fp8_e4m3, N> {                                                                              \
    template <bool B_TRANSPOSED>                                                                                \
    static __device__ void from_shared(float (&d)[N / 2], unsigned long long a, unsigned long long b,           \
                                       int accumulate) {                                                        \
      static_assert(!B_TRANSPOSED, "tiles of 8-bit types are K-major");                                         \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #C                                                      \
                   ", 0;\n"                                                                                     \
                   "wgmma.mma_async.sync.aligned.m64n" #N "k32.f32.e4m3.e4m3 {" HARNESS_R##N "}, %" #A ", %" #B \
                                                                                             ", p, 1, 1;\n}"    \
                   : HARNESS_D##N                                                                               \
                   : "l"(a), "l"(b), "r"(accumulate));                                                          \
    }                                                                                                           \
  };
HARNESS_WGMMA(64, 32, 33, 34)
HARNESS_WGMMA(128, 64, 65, 66)
#undef HARNESS_WGMMA
#undef HARNESS_R64
#undef HARNESS_D64
#undef HARNESS_R128
#undef HARNESS_D128

}  // namespace detail
#endif

__device__ inline float to_float(__nv_fp8_e4m3 x) {
  return static_cast<float>(x);
}

}  // namespace harness
