// Input sets: made anew before a launch, and looked at after it. A row of blocks for each set. The random numbers are
// those of harness/random.cuh, the forms those of core/value_forms.cuh, which stand before this text.
//
// A set holds draw (set + shift) % used. The seeds of a draw's values follow from its number and the pair of launches
// that it is made for, so that both launches of a pair work on the same draws, at other addresses; poison differs
// from launch to launch.
struct HarnessRefresh {
  long long stride, first, used, shift, images, phase;
  unsigned long long pair, launch, key0, key1;
  const long long* places;  // of each set, bytes from the first address: in no order, with gaps between them
};

__device__ inline unsigned long long harness_mix(unsigned long long x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

__device__ inline long long harness_draw_of(const HarnessRefresh& r, long long set) {
  return (set + r.shift) % r.used;
}

__device__ inline unsigned long long harness_seed(unsigned long long number, long long which, unsigned long long key0,
                                                  unsigned long long key1) {
  return harness_mix(harness_mix(key0 + number * 4096 + (unsigned long long)which) ^ key1) >> 1;
}

// Everything that is not drawn: guards, workspaces, structured inputs. `ranges` are pairs of begin and end, multiples of
// 16 bytes.
extern "C" __global__ void harness_copy(unsigned char* sets, const unsigned char* pristine, HarnessRefresh r,
                                        const long long* ranges, long long count) {
  const long long set = r.first + blockIdx.y;
  const long long image = (harness_draw_of(r, set) + r.phase) % r.images;
  const uint4* from = (const uint4*)(pristine + image * r.stride);
  uint4* to = (uint4*)(sets + r.places[set]);
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = 0; i < count; ++i) {
    for (long long chunk = ranges[2 * i] / 16 + (long long)blockIdx.x * blockDim.x + threadIdx.x;
         chunk < ranges[2 * i + 1] / 16; chunk += step)
      to[chunk] = from[chunk];
  }
}

extern "C" __global__ void harness_relocate(unsigned char* sets, HarnessRefresh r, const long long* relocations,
                                            long long count) {
  unsigned char* set = sets + r.places[r.first + blockIdx.y];
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const unsigned long long address = (unsigned long long)(set + relocations[2 * i + 1]);
  for (int byte = 0; byte < 8; ++byte) set[relocations[2 * i] + byte] = (unsigned char)(address >> (8 * byte));
}

// core/image.h: ElementDraw, with the enums as numbers.
struct HarnessDraw {
  long long at, kind, dtype, poison;
  unsigned long long stream;
  double scale, offset;
  long long lo;
  unsigned long long range;
  long long count, extents[4], strides[4];
};
enum { kHarnessNormal, kHarnessUniform, kHarnessMask, kHarnessIntegers };
enum { kHarnessF64, kHarnessF32, kHarnessF16, kHarnessBf16, kHarnessE4m3, kHarnessE5m2 };

// One rounding to nearest even, on the bits: core/dtype.cpp, encode.
__device__ inline unsigned harness_encode(double value, int mantissa, int bias, unsigned sign_bit, unsigned largest,
                                          unsigned overflow) {
  const unsigned long long pattern = (unsigned long long)__double_as_longlong(value);
  const unsigned long long magnitude = pattern & 0x7fffffffffffffffull;
  const unsigned sign = (pattern >> 63) != 0 ? sign_bit : 0;
  const int exponent = (int)(magnitude >> 52) - 1023 + bias;
  if (exponent > 2 * bias + 1) return sign | overflow;
  const int shift = 52 - mantissa + (exponent < 1 ? 1 - exponent : 0);
  if (shift > 53) return sign;
  const unsigned long long significand = (magnitude & 0xfffffffffffffull) | (1ull << 52);
  const unsigned long long below_half = (1ull << (shift - 1)) - 1, odd = significand >> shift & 1;
  const unsigned long long rounded = (significand + below_half + odd) >> shift;
  const unsigned long long bits = rounded + ((unsigned long long)((exponent < 1 ? 1 : exponent) - 1) << mantissa);
  return sign | (bits > largest ? overflow : (unsigned)bits);
}

__device__ inline void harness_store(const HarnessDraw& d, unsigned char* units, long long at, double value) {
  switch (d.dtype) {
    case kHarnessF64: ((double*)units)[at] = value; return;
    case kHarnessF32: ((float*)units)[at] = (float)value; return;
    case kHarnessF16:
      ((unsigned short*)units)[at] = (unsigned short)harness_encode(value, 10, 15, 0x8000u, 0x7bffu, 0x7c00u);
      return;
    case kHarnessBf16:
      ((unsigned short*)units)[at] = (unsigned short)harness_encode(value, 7, 127, 0x8000u, 0x7f7fu, 0x7f80u);
      return;
    case kHarnessE4m3: units[at] = (unsigned char)harness_encode(value, 3, 7, 0x80u, 0x7eu, 0x7eu); return;
    case kHarnessE5m2: units[at] = (unsigned char)harness_encode(value, 2, 15, 0x80u, 0x7bu, 0x7cu); return;
  }
}

// Dtypes from 6 on are integers: s8 u8, s16 u16, s32 u32, s64 u64, and a byte of bool.
__device__ inline void harness_store_integer(const HarnessDraw& d, unsigned char* units, long long at,
                                             long long value) {
  if (d.dtype < 6) return harness_store(d, units, at, (double)value);
  switch (d.dtype) {
    case 8: case 9: ((unsigned short*)units)[at] = (unsigned short)value; return;
    case 10: case 11: ((unsigned*)units)[at] = (unsigned)value; return;
    case 12: case 13: ((unsigned long long*)units)[at] = (unsigned long long)value; return;
    default: units[at] = (unsigned char)value; return;
  }
}

// In which order a draw's elements lie, told once for a thread: divisions of 64 bits would take longer than the random
// numbers do.
struct HarnessOrder {
  bool dense, small;  // one after the other; everything below 2^32
};

__device__ inline HarnessOrder harness_order(const HarnessDraw& d) {
  HarnessOrder order = {true, d.count <= 0xffffffffll};
  long long dense_stride = 1;
  for (int k = 0; k < 4; ++k) {
    if (d.extents[k] > 1) order.dense = order.dense && d.strides[k] == dense_stride;
    order.small = order.small && d.extents[k] <= 0xffffffffll;
    dense_stride *= d.extents[k];
  }
  return order;
}

// Where element i lies, in elements. `Index`: unsigned where everything is below 2^32.
template <typename Index>
__device__ inline long long harness_place(const HarnessDraw& d, Index i) {
  long long at = 0;
  for (int k = 0; k < 4; ++k) {
    const Index extent = (Index)d.extents[k];
    if (k == 3 || i < extent) return at + (long long)i * d.strides[k];
    at += (long long)(i % extent) * d.strides[k];
    i /= extent;
  }
  return at;
}

// All elements of a draw, by this thread and those `step` behind it; floating ones in a form, where there is one.
__device__ inline void harness_draw_elements(const HarnessDraw& d, unsigned char* units, unsigned long long seed,
                                             long long first, long long step,
                                             const harness::ValueForm* form = nullptr) {
  const auto in_form = [&](double value, long long i) {
    if (form == nullptr) return value;
    const unsigned long long element = (unsigned long long)i;
    return harness::in_value_form(*form, value, harness::random::words(seed, form->stream, element), element, seed);
  };
  const HarnessOrder order = harness_order(d);
  for (long long i = first; i < d.count; i += step) {
    const harness::random::Words bits = harness::random::words(seed, d.stream, (unsigned long long)i);
    const long long at = order.dense   ? i
                         : order.small ? harness_place(d, (unsigned)i)
                                       : harness_place(d, (unsigned long long)i);
    switch (d.kind) {
      case kHarnessNormal:
        harness_store(d, units, at,
                      in_form(harness::random::affine(d.scale, harness::random::normal(bits), d.offset), i));
        break;
      case kHarnessUniform:
        harness_store(d, units, at,
                      in_form(harness::random::affine(d.scale, harness::random::uniform(bits), d.offset), i));
        break;
      case kHarnessMask:
        harness_store_integer(d, units, at, harness::random::uniform(bits) < d.scale ? 1 : 0);
        break;
      default:
        harness_store_integer(d, units, at,
                              (long long)((unsigned long long)d.lo + harness::random::below(bits, d.range)));
    }
  }
}

extern "C" __global__ void harness_draw(unsigned char* sets, HarnessRefresh r, const HarnessDraw* draws,
                                        long long which) {
  const HarnessDraw d = draws[which];  // a copy: bytes that are stored could be its own
  const long long set = r.first + blockIdx.y;
  const unsigned long long seed = d.poison ? harness_seed(r.launch, set, r.key1, r.key0)
                                           : harness_seed(r.pair, harness_draw_of(r, set), r.key0, r.key1);
  harness_draw_elements(d, sets + r.places[set] + d.at, seed, (long long)blockIdx.x * blockDim.x + threadIdx.x,
                        (long long)gridDim.x * blockDim.x);
}

// What a launch left in the outputs of a set, in words: `digests` has `words` of them for each set, zero before. Of an
// output whose bits must agree a hash of its bytes, in word `slot`. Of another one the sum of its squares and eight
// sums with random signs: the mean of the squares of what two such sums differ by is the squared L2 distance of the two
// outputs (Achlioptas 2003).
struct HarnessOutput {
  long long begin, end, dtype, slot, exact;
};

__device__ inline unsigned long long harness_bytes(const unsigned char* bytes, long long at, long long begin,
                                                   long long end) {
  if (at >= begin && at + 8 <= end) return *(const unsigned long long*)(bytes + at);
  unsigned long long word = 0;
  for (int i = 0; i < 8; ++i)
    if (at + i >= begin && at + i < end) word |= (unsigned long long)bytes[at + i] << (8 * i);
  return word;
}

__device__ inline double harness_decode(unsigned bits, int mantissa, int bias, int width) {
  const unsigned magnitude = bits & ((1u << (width - 1)) - 1);
  const int exponent = (int)(magnitude >> mantissa), top = (1 << (width - 1 - mantissa)) - 1;
  const unsigned long long sign = (unsigned long long)(bits >> (width - 1) & 1) << 63;
  unsigned long long pattern;
  if (exponent == 0) {  // the significand as a number of units of the smallest subnormal
    const double unit = __longlong_as_double((long long)(1023 + 1 - bias - mantissa) << 52);
    pattern = (unsigned long long)__double_as_longlong((double)magnitude * unit);
  } else if (exponent == top && (mantissa != 3 || magnitude == 0x7f)) {  // e4m3 has finite values there
    pattern = 0x7ff0000000000000ull | (unsigned long long)(magnitude & ((1u << mantissa) - 1)) << (52 - mantissa);
  } else {
    pattern = ((unsigned long long)magnitude << (52 - mantissa)) + ((unsigned long long)(1023 - bias) << 52);
  }
  return __longlong_as_double((long long)(pattern | sign));
}

__device__ inline double harness_load(const unsigned char* units, long long dtype, long long at) {
  switch (dtype) {
    case kHarnessF64: return ((const double*)units)[at];
    case kHarnessF32: return ((const float*)units)[at];
    case kHarnessF16: return harness_decode(((const unsigned short*)units)[at], 10, 15, 16);
    case kHarnessBf16: return harness_decode(((const unsigned short*)units)[at], 7, 127, 16);
    case kHarnessE4m3: return harness_decode(units[at], 3, 7, 8);
    default: return harness_decode(units[at], 2, 15, 8);
  }
}

__device__ inline int harness_unit(long long dtype) {
  return dtype == kHarnessF64 ? 8 : dtype == kHarnessF32 ? 4 : dtype == kHarnessF16 || dtype == kHarnessBf16 ? 2 : 1;
}

// The sum over the block's threads, in its first one. Every thread of the block is here: 256 of them.
template <typename T>
__device__ inline T harness_block_sum(T value, T (&of_warps)[8]) {
  for (int lanes = 16; lanes > 0; lanes /= 2) value += __shfl_xor_sync(0xffffffffu, value, lanes);
  __syncthreads();  // what the last sum left is read
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  T sum = 0;
  for (int warp = 0; warp < 8; ++warp) sum += of_warps[warp];
  return sum;
}

// Atomics of one address run one after the other: a block does one for each of its sums.
extern "C" __global__ void harness_digest(const unsigned char* sets, HarnessRefresh r, const HarnessOutput* outputs,
                                          long long which, unsigned long long* digests, long long words) {
  __shared__ unsigned long long hashes[8];
  __shared__ double of_warps[8];
  const HarnessOutput o = outputs[which];
  const long long set = r.first + blockIdx.y;
  const unsigned char* bytes = sets + r.places[set];
  unsigned long long* into = digests + set * words + o.slot;
  const long long step = (long long)gridDim.x * blockDim.x;
  const long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (o.exact) {
    unsigned long long hash = 0;
    for (long long at = o.begin / 8 * 8 + 8 * first; at < o.end; at += 8 * step)
      hash += harness_mix(harness_bytes(bytes, at, o.begin, o.end) ^ harness_mix((unsigned long long)at + 1));
    hash = harness_block_sum(hash, hashes);
    if (threadIdx.x == 0) atomicAdd(into, hash);
    return;
  }
  const long long count = (o.end - o.begin) / harness_unit(o.dtype);
  double sums[9] = {};
  for (long long i = first; i < count; i += step) {
    const double value = harness_load(bytes + o.begin, o.dtype, i);
    if (!isfinite(value)) continue;  // for the judge
    const unsigned long long signs = harness_mix((unsigned long long)i * 0x9e3779b97f4a7c15ull + r.key0);
    sums[0] += value * value;
    for (int k = 0; k < 8; ++k) sums[1 + k] += (signs >> k & 1) != 0 ? value : -value;
  }
  for (int k = 0; k < 9; ++k) {
    const double sum = harness_block_sum(sums[k], of_warps);
    if (threadIdx.x == 0) atomicAdd((double*)(into + k), sum);
  }
}
