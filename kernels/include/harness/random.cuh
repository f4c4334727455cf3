#pragma once
// Counter-based random numbers: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2,
// 3", SC 2011). A number is a pure function of (seed, stream, element), made of integer operations and single correctly
// rounded floating-point ones, so g++ and NVRTC give the same bits in any order and on any number of threads.
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define HARNESS_RANDOM __host__ __device__ inline
#else
#define HARNESS_RANDOM inline
#endif

namespace harness {
namespace random {

/// 128 random bits.
struct Words {
  unsigned int w[4];
};

constexpr int kPhiloxRounds = 10;
constexpr unsigned long long kPhiloxFactor0 = 0xD2511F53ull, kPhiloxFactor1 = 0xCD9E8D57ull;
constexpr unsigned int kPhiloxWeyl0 = 0x9E3779B9u, kPhiloxWeyl1 = 0xBB67AE85u;

HARNESS_RANDOM Words philox(Words counter, unsigned int key0, unsigned int key1) {
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const unsigned long long a = kPhiloxFactor0 * counter.w[0];
    const unsigned long long b = kPhiloxFactor1 * counter.w[2];
    counter = Words{{static_cast<unsigned int>(b >> 32) ^ counter.w[1] ^ key0, static_cast<unsigned int>(b),
                     static_cast<unsigned int>(a >> 32) ^ counter.w[3] ^ key1, static_cast<unsigned int>(a)}};
    key0 += kPhiloxWeyl0;
    key1 += kPhiloxWeyl1;
  }
  return counter;
}

/// FNV-1a of a name (an argument's, with a purpose where there are several): the stream of its numbers.
HARNESS_RANDOM unsigned long long stream_of(const char* name) {
  unsigned long long hash = 0xcbf29ce484222325ull;
  for (; *name != 0; ++name) hash = (hash ^ static_cast<unsigned char>(*name)) * 0x100000001b3ull;
  return hash;
}

HARNESS_RANDOM Words words(unsigned long long seed, unsigned long long stream, unsigned long long element) {
  const Words counter{{static_cast<unsigned int>(element), static_cast<unsigned int>(element >> 32),
                       static_cast<unsigned int>(stream), static_cast<unsigned int>(stream >> 32)}};
  return philox(counter, static_cast<unsigned int>(seed), static_cast<unsigned int>(seed >> 32));
}

/// a * x + b in one rounding: written out because a compiler may or may not contract the plain expression.
HARNESS_RANDOM double affine(double a, double x, double b) {
#if defined(__CUDA_ARCH__) && !defined(__HARNESS_CPU__)
  return __fma_rn(a, x, b);
#else
  return __builtin_fma(a, x, b);
#endif
}

/// In [0, 1), a multiple of 2^-53.
HARNESS_RANDOM double uniform(Words bits) {
  const unsigned long long joined = (static_cast<unsigned long long>(bits.w[1]) << 32) | bits.w[0];
  return static_cast<double>(joined >> 11) * (1.0 / 9007199254740992.0);
}

/// Mean 0, variance 1: the sum of eight 16-bit uniforms (Irwin-Hall), exact but for one multiplication. Against a true
/// normal: nothing lies beyond 4.9 (a normal has 1e-6 there), kurtosis 2.85 instead of 3.
HARNESS_RANDOM double normal(Words bits) {
  int twice_centred = -8 * 65535;
  for (int i = 0; i < 4; ++i) twice_centred += 2 * static_cast<int>((bits.w[i] & 0xffffu) + (bits.w[i] >> 16));
  return twice_centred * 9.344061825059267e-06;  // 1 / (2 sqrt(8 (2^32 - 1) / 12))
}

/// In [0, range), from 64 of the bits by multiplication; range 0 means 2^64.
HARNESS_RANDOM unsigned long long below(Words bits, unsigned long long range) {
  const unsigned long long low = bits.w[0], high = bits.w[1];
  if (range == 0) return (high << 32) | low;
  const unsigned long long range_low = range & 0xffffffffull, range_high = range >> 32;
  const unsigned long long middle = high * range_low + ((low * range_low) >> 32);
  const unsigned long long other = low * range_high + (middle & 0xffffffffull);
  return high * range_high + (middle >> 32) + (other >> 32);
}

}  // namespace random
}  // namespace harness

#undef HARNESS_RANDOM
