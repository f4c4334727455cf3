#pragma once

#include <harness/pack.cuh>
#include <harness/shared_address.cuh>
#include <harness/site.cuh>

// Matrix products of a warpgroup (four warps, the first a multiple of four) by sm_90's tensor cores:
//   D[64][N] (+)= A[64][16] B[16][N],   fp16 or bf16 in, fp32 accumulators in registers.
// B always comes from shared memory, A from there or from registers. The product runs beside the warps that asked for
// it: wgmma_fence() before the first (registers written by the threads become visible to it), wgmma_commit() closes a
// group, wgmma_wait<PENDING>() waits until at most PENDING younger groups are not done. Until then D must not be
// touched and shared memory not be overwritten.
//
// Fragment of D: warp w of the group holds rows 16 w to 16 w + 15; lane l of it rows l / 4 and l / 4 + 8, columns
// 8 j + 2 (l % 4) and the next, as d[4 j], d[4 j + 1] (first row) and d[4 j + 2], d[4 j + 3] (second). A in registers
// is laid out as four neighbouring pairs: a[0] row l / 4, k = 2 (l % 4) and the next; a[1] row l / 4 + 8; a[2] and a[3]
// the same rows, k + 8. So the accumulators of a product, rounded and packed in pairs, are the A of the next one: a[i]
// of step s is the pair d[8 s + 2 i], d[8 s + 2 i + 1].
//
// A tile in shared memory is named by a *descriptor*: its address, and two strides. wgmma_descriptor() makes it for
// tiles of 64 16-bit elements a row (128 bytes), swizzled by 128 bytes, as TMA writes them, at a multiple of 1024
// bytes:
//   K-major (rows are M or N, 64 values of k in a row): 8 rows are an atom of 1024 bytes, `stride` from one to the next
//     (1024 where the rows are dense); step k by 16: address + 32 bytes.
//   MN-major (rows are k, 64 values of N in a row; B only, `B_TRANSPOSED`): `stride` between atoms of 8 k, `leading`
//     from 64 columns to the next 64; step k by 16: address + 2048 bytes.
//
// PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions". Needs architecture sm_90a.
namespace harness {

__device__ inline unsigned long long wgmma_descriptor(const void* tile, unsigned stride = 1024, unsigned leading = 16) {
  const auto field = [](unsigned bytes) { return static_cast<unsigned long long>((bytes & 0x3ffff) >> 4); };
  const unsigned address = shared_address(tile);
  unsigned long long descriptor = field(address) | field(leading) << 16 | field(stride) << 32 | 1ull << 62;
#ifdef __HARNESS_CPU__
  // The shared variables of all kernels of a source lie in one window there: what does not fit goes to unused bits.
  descriptor |= static_cast<unsigned long long>(address >> 18 & 0x3ff) << 52;
#endif
  return descriptor;
}

/// The descriptor of a place `bytes` (a multiple of 16) behind that of `descriptor`: one addition in its lower half,
/// where a descriptor of its own for each step of a product would cost several instructions.
__device__ inline unsigned long long wgmma_advance(unsigned long long descriptor, unsigned bytes) {
#ifdef __HARNESS_CPU__
  const unsigned address = (descriptor & 0x3fff) << 4 | (descriptor >> 52 & 0x3ff) << 18;
  const unsigned there = address + bytes;
  return (descriptor & ~(0x3fffull | 0x3ffull << 52)) | (there & 0x3ffff) >> 4 |
         static_cast<unsigned long long>(there >> 18 & 0x3ff) << 52;
#else
  // Shared memory ends before 2^18 bytes: nothing is carried out of the address.
  const unsigned low = static_cast<unsigned>(descriptor) + (bytes >> 4);
  return (descriptor & 0xffffffff00000000ull) | low;
#endif
}

/// Registers and shared memory that threads have written so far are seen by the products that follow. (What went to
/// shared memory also needs async_proxy_fence().)
__device__ inline void wgmma_fence() {
#ifndef __HARNESS_CPU__
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}
__device__ inline void wgmma_commit(HARNESS_ONLY_SITE) {
#ifdef __HARNESS_CPU__
  harness_cpu_wgmma_commit(file, line);
#else
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}
template <int PENDING>
__device__ inline void wgmma_wait(HARNESS_ONLY_SITE) {
#ifdef __HARNESS_CPU__
  harness_cpu_wgmma_wait(PENDING, file, line);
#else
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
#endif
}
/// For the compiler: values of `d` from before this line and after it are not the same registers' business.
template <int COUNT>
__device__ inline void wgmma_pin(float (&d)[COUNT]) {
#ifndef __HARNESS_CPU__
#pragma unroll
  for (int i = 0; i < COUNT; ++i) asm volatile("" : "+f"(d[i])::"memory");
#else
  static_cast<void>(d);
#endif
}

#ifdef __HARNESS_CPU__

template <class T>
inline constexpr int kWgmmaType = kIsBf16<T>;

/// D = A B, or D += A B where `accumulate` is not 0; A and B by their descriptors.
template <class T, int N, bool B_TRANSPOSED = false>
__device__ inline void wgmma(float (&d)[N / 2], unsigned long long a, unsigned long long b,
                             int accumulate HARNESS_SITE) {
  const HarnessCpuWgmma instruction{d, nullptr, a, b, N, accumulate, kWgmmaType<T>, B_TRANSPOSED};
  harness_cpu_wgmma(&instruction, file, line);
}
/// The same with A in registers.
template <class T, int N, bool B_TRANSPOSED = false>
__device__ inline void wgmma(float (&d)[N / 2], const unsigned (&a)[4], unsigned long long b,
                             int accumulate HARNESS_SITE) {
  const HarnessCpuWgmma instruction{d, a, 0, b, N, accumulate, kWgmmaType<T>, B_TRANSPOSED};
  harness_cpu_wgmma(&instruction, file, line);
}

#else

namespace detail {
template <class T, int N>
struct Wgmma;  // of the N below
}  // namespace detail

template <class T, int N, bool B_TRANSPOSED = false>
__device__ inline void wgmma(float (&d)[N / 2], unsigned long long a, unsigned long long b, int accumulate) {
  detail::Wgmma<T, N>::template from_shared<B_TRANSPOSED>(d, a, b, accumulate);
}
template <class T, int N, bool B_TRANSPOSED = false>
__device__ inline void wgmma(float (&d)[N / 2], const unsigned (&a)[4], unsigned long long b, int accumulate) {
  detail::Wgmma<T, N>::template from_registers<B_TRANSPOSED>(d, a, b, accumulate);
}

// The instruction names each accumulator: %0 to %(N / 2 - 1), and N is part of its name.
// clang-format off
#define HARNESS_R64  \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define HARNESS_D64  \
  "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), \
  "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), \
  "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), \
  "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), \
  "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), \
  "+f"(d[30]), "+f"(d[31])
#define HARNESS_R80 HARNESS_R64 ", " \
  "%32, %33, %34, %35, %36, %37, %38, %39"
#define HARNESS_D80 HARNESS_D64, \
  "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), \
  "+f"(d[38]), "+f"(d[39])
#define HARNESS_R96 HARNESS_R80 ", " \
  "%40, %41, %42, %43, %44, %45, %46, %47"
#define HARNESS_D96 HARNESS_D80, \
  "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), \
  "+f"(d[46]), "+f"(d[47])
#define HARNESS_R112 HARNESS_R96 ", " \
  "%48, %49, %50, %51, %52, %53, %54, %55"
#define HARNESS_D112 HARNESS_D96, \
  "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), \
  "+f"(d[54]), "+f"(d[55])
#define HARNESS_R128 HARNESS_R112 ", " \
  "%56, %57, %58, %59, %60, %61, %62, %63"
#define HARNESS_D128 HARNESS_D112, \
  "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), \
  "+f"(d[62]), "+f"(d[63])
#define HARNESS_R144 HARNESS_R128 ", " \
  "%64, %65, %66, %67, %68, %69, %70, %71"
#define HARNESS_D144 HARNESS_D128, \
  "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), \
  "+f"(d[70]), "+f"(d[71])
#define HARNESS_R160 HARNESS_R144 ", " \
  "%72, %73, %74, %75, %76, %77, %78, %79"
#define HARNESS_D160 HARNESS_D144, \
  "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), \
  "+f"(d[78]), "+f"(d[79])
#define HARNESS_R176 HARNESS_R160 ", " \
  "%80, %81, %82, %83, %84, %85, %86, %87"
#define HARNESS_D176 HARNESS_D160, \
  "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]), "+f"(d[85]), \
  "+f"(d[86]), "+f"(d[87])
#define HARNESS_R192 HARNESS_R176 ", " \
  "%88, %89, %90, %91, %92, %93, %94, %95"
#define HARNESS_D192 HARNESS_D176, \
  "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), \
  "+f"(d[94]), "+f"(d[95])
#define HARNESS_R256 HARNESS_R192 ", " \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define HARNESS_D256 HARNESS_D192, \
  "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), \
  "+f"(d[102]), "+f"(d[103]), "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), \
  "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]), "+f"(d[112]), "+f"(d[113]), \
  "+f"(d[114]), "+f"(d[115]), "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]), \
  "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]), \
  "+f"(d[126]), "+f"(d[127])
// clang-format on

#define HARNESS_WGMMA(T, type, N, A, B, C, D, E, F)                                                           \
  namespace detail {                                                                                          \
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
                   "}, {%" #A ", %" #B ", %" #C ", %" #D "}, %" #E ", p, 1, 1, %" HARNESS_NEXT_##N ";\n}"     \
                   : HARNESS_D##N                                                                             \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate), "n"(B_TRANSPOSED)); \
    }                                                                                                         \
  };                                                                                                          \
  }
#define HARNESS_NEXT_64 "38"
#define HARNESS_NEXT_80 "46"
#define HARNESS_NEXT_96 "54"
#define HARNESS_NEXT_112 "62"
#define HARNESS_NEXT_128 "70"
#define HARNESS_NEXT_144 "78"
#define HARNESS_NEXT_160 "86"
#define HARNESS_NEXT_176 "94"
#define HARNESS_NEXT_192 "102"
#define HARNESS_NEXT_256 "134"
HARNESS_WGMMA(__half, "f16", 64, 32, 33, 34, 35, 36, 37)
HARNESS_WGMMA(__nv_bfloat16, "bf16", 64, 32, 33, 34, 35, 36, 37)
HARNESS_WGMMA(__half, "f16", 80, 40, 41, 42, 43, 44, 45)
HARNESS_WGMMA(__nv_bfloat16, "bf16", 80, 40, 41, 42, 43, 44, 45)
HARNESS_WGMMA(__half, "f16", 96, 48, 49, 50, 51, 52, 53)
HARNESS_WGMMA(__nv_bfloat16, "bf16", 96, 48, 49, 50, 51, 52, 53)
HARNESS_WGMMA(__half, "f16", 112, 56, 57, 58, 59, 60, 61)
HARNESS_WGMMA(__nv_bfloat16, "bf16", 112, 56, 57, 58, 59, 60, 61)
HARNESS_WGMMA(__half, "f16", 128, 64, 65, 66, 67, 68, 69)
HARNESS_WGMMA(__nv_bfloat16, "bf16", 128, 64, 65, 66, 67, 68, 69)
HARNESS_WGMMA(__half, "f16", 144, 72, 73, 74, 75, 76, 77)
HARNESS_WGMMA(__nv_bfloat16, "bf16", 144, 72, 73, 74, 75, 76, 77)
HARNESS_WGMMA(__half, "f16", 160, 80, 81, 82, 83, 84, 85)
HARNESS_WGMMA(__nv_bfloat16, "bf16", 160, 80, 81, 82, 83, 84, 85)
HARNESS_WGMMA(__half, "f16", 176, 88, 89, 90, 91, 92, 93)
HARNESS_WGMMA(__nv_bfloat16, "bf16", 176, 88, 89, 90, 91, 92, 93)
HARNESS_WGMMA(__half, "f16", 192, 96, 97, 98, 99, 100, 101)
HARNESS_WGMMA(__nv_bfloat16, "bf16", 192, 96, 97, 98, 99, 100, 101)
HARNESS_WGMMA(__half, "f16", 256, 128, 129, 130, 131, 132, 133)
HARNESS_WGMMA(__nv_bfloat16, "bf16", 256, 128, 129, 130, 131, 132, 133)
#undef HARNESS_R64
#undef HARNESS_D64
#undef HARNESS_NEXT_64
#undef HARNESS_R80
#undef HARNESS_D80
#undef HARNESS_NEXT_80
#undef HARNESS_R96
#undef HARNESS_D96
#undef HARNESS_NEXT_96
#undef HARNESS_R112
#undef HARNESS_D112
#undef HARNESS_NEXT_112
#undef HARNESS_R128
#undef HARNESS_D128
#undef HARNESS_NEXT_128
#undef HARNESS_R144
#undef HARNESS_D144
#undef HARNESS_NEXT_144
#undef HARNESS_R160
#undef HARNESS_D160
#undef HARNESS_NEXT_160
#undef HARNESS_R176
#undef HARNESS_D176
#undef HARNESS_NEXT_176
#undef HARNESS_R192
#undef HARNESS_D192
#undef HARNESS_NEXT_192
#undef HARNESS_R256
#undef HARNESS_D256
#undef HARNESS_NEXT_256
#undef HARNESS_WGMMA
#endif

}  // namespace harness
