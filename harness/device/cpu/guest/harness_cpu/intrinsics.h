#pragma once
#include "harness_cpu/vector_types.h"

// Integer, bit and reinterpreting intrinsics, and loads with cache hints.

template <typename To, typename From>
inline To harness_cpu_bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}
inline int __float_as_int(float v) {
  return harness_cpu_bits<int>(v);
}
inline unsigned __float_as_uint(float v) {
  return harness_cpu_bits<unsigned>(v);
}
inline float __int_as_float(int v) {
  return harness_cpu_bits<float>(v);
}
inline float __uint_as_float(unsigned v) {
  return harness_cpu_bits<float>(v);
}
inline long long __double_as_longlong(double v) {
  return harness_cpu_bits<long long>(v);
}
inline double __longlong_as_double(long long v) {
  return harness_cpu_bits<double>(v);
}
inline int __double2hiint(double v) {
  return static_cast<int>(__double_as_longlong(v) >> 32);
}
inline int __double2loint(double v) {
  return static_cast<int>(__double_as_longlong(v));
}
inline double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(
      static_cast<unsigned long long>(static_cast<unsigned>(high)) << 32 | static_cast<unsigned>(low)));
}

inline int __popc(unsigned v) {
  return __builtin_popcount(v);
}
inline int __popcll(unsigned long long v) {
  return __builtin_popcountll(v);
}
inline int __clz(int v) {
  return v ? __builtin_clz(static_cast<unsigned>(v)) : 32;
}
inline int __clzll(long long v) {
  return v ? __builtin_clzll(static_cast<unsigned long long>(v)) : 64;
}
inline int __ffs(int v) {
  return __builtin_ffs(v);
}
inline int __ffsll(long long v) {
  return __builtin_ffsll(v);
}
inline unsigned long long __brevll(unsigned long long v) {
  v = (v >> 1 & 0x5555555555555555ull) | (v & 0x5555555555555555ull) << 1;
  v = (v >> 2 & 0x3333333333333333ull) | (v & 0x3333333333333333ull) << 2;
  v = (v >> 4 & 0x0f0f0f0f0f0f0f0full) | (v & 0x0f0f0f0f0f0f0f0full) << 4;
  return __builtin_bswap64(v);
}
inline unsigned __brev(unsigned v) {
  return static_cast<unsigned>(__brevll(v) >> 32);
}
/// The position of the n-th set bit of `mask` counted from bit `base` upwards (n > 0), downwards (n < 0) or at it (0).
inline unsigned __fns(unsigned mask, unsigned base, int n) {
  const int step = n < 0 ? -1 : 1;
  int left = n == 0 ? 1 : n * step;
  for (int bit = static_cast<int>(base); bit >= 0 && bit < 32; bit += step) {
    if (mask >> bit & 1u && --left == 0) return static_cast<unsigned>(bit);
    if (n == 0) break;
  }
  return 0xffffffffu;
}
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(b) << 32 | a;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned pick = selector >> (4 * i);
    unsigned byte = static_cast<unsigned>(bytes >> (8 * (pick & 7u))) & 0xffu;
    if (pick & 8u) byte = byte & 0x80u ? 0xffu : 0;
    result |= byte << (8 * i);
  }
  return result;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31u)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31u));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

inline int __mul24(int a, int b) {
  return static_cast<int>(static_cast<unsigned>((a << 8) >> 8) * static_cast<unsigned>((b << 8) >> 8));
}
inline unsigned __umul24(unsigned a, unsigned b) {
  return (a & 0xffffffu) * (b & 0xffffffu);
}
inline int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<long long>(a) * b >> 32);
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline int __sad(int a, int b, unsigned c) {
  return static_cast<int>((a < b ? static_cast<unsigned>(b) - static_cast<unsigned>(a)
                                 : static_cast<unsigned>(a) - static_cast<unsigned>(b)) +
                          c);
}
inline unsigned __usad(unsigned a, unsigned b, unsigned c) {
  return (a < b ? b - a : a - b) + c;
}
inline int __hadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b) >> 1);
}
inline int __rhadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}
inline unsigned __uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b) >> 1);
}
inline unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}

inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 32; i += 8) c += static_cast<signed char>(a >> i) * static_cast<signed char>(b >> i);
  return c;
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 32; i += 8) c += (a >> i & 0xffu) * (b >> i & 0xffu);
  return c;
}
inline int __dp4a(char4 a, char4 b, int c) {
  return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
inline unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return c + static_cast<unsigned>(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
}
inline int __dp2a_lo(int a, int b, int c) {
  return c + static_cast<short>(a) * static_cast<signed char>(b) +
         static_cast<short>(a >> 16) * static_cast<signed char>(b >> 8);
}
inline int __dp2a_hi(int a, int b, int c) {
  return __dp2a_lo(a, b >> 16, c);
}

// Loads and stores with cache hints: the host's caches take no advice.
#define HARNESS_CPU_LOAD(name)      \
  template <typename T>             \
  inline T name(const T* address) { \
    return *address;                \
  }
HARNESS_CPU_LOAD(__ldg)
HARNESS_CPU_LOAD(__ldca)
HARNESS_CPU_LOAD(__ldcg)
HARNESS_CPU_LOAD(__ldcs)
HARNESS_CPU_LOAD(__ldcv)
HARNESS_CPU_LOAD(__ldlu)
#define HARNESS_CPU_STORE(name)           \
  template <typename T>                   \
  inline void name(T* address, T value) { \
    *address = value;                     \
  }
HARNESS_CPU_STORE(__stwb)
HARNESS_CPU_STORE(__stcg)
HARNESS_CPU_STORE(__stcs)
HARNESS_CPU_STORE(__stwt)

inline bool __isGlobal(const void*) {
  return true;
}
/// An address here is one of the host in every space: good for alignment, and to get back what went in.
inline size_t __cvta_generic_to_shared(const void* address) {
  return reinterpret_cast<size_t>(address);
}
inline size_t __cvta_generic_to_global(const void* address) {
  return reinterpret_cast<size_t>(address);
}
inline void* __cvta_shared_to_generic(size_t address) {
  return reinterpret_cast<void*>(address);
}
inline void* __cvta_global_to_generic(size_t address) {
  return reinterpret_cast<void*>(address);
}
#define __builtin_assume(condition) static_cast<void>(0)
inline void __assume(bool) {}
