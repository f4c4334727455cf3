// What the judge's process lets a GPU do: paint an image, and look at what a launch left in it. Decisions stay with
// judge/: these are its sums, element by element as judge/output.cpp and judge/measure.cpp define them. The text of
// refreshing_kernels.cu stands before this one.

extern "C" __global__ void harness_paint_pattern(unsigned char* image, long long bytes, unsigned long long seed,
                                                 unsigned long long stream) {
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long block = (long long)blockIdx.x * blockDim.x + threadIdx.x; block < bytes / 16; block += step) {
    const harness::random::Words bits = harness::random::words(seed, stream, (unsigned long long)block);
    ((uint4*)image)[block] = make_uint4(bits.w[0], bits.w[1], bits.w[2], bits.w[3]);
  }
}

// `form`: of the table, or -1.
extern "C" __global__ void harness_paint(unsigned char* image, const HarnessDraw* draws, long long which,
                                         unsigned long long seed, const harness::ValueForm* forms, long long form) {
  const HarnessDraw d = draws[which];  // a copy: bytes that are stored could be its own
  harness_draw_elements(d, image + d.at, seed, (long long)blockIdx.x * blockDim.x + threadIdx.x,
                        (long long)gridDim.x * blockDim.x, form < 0 ? nullptr : forms + form);
}

// Words that differ in [begin, end) of ranges that must be as they were.
extern "C" __global__ void harness_changed(const unsigned char* before, const unsigned char* after,
                                           const long long* ranges, long long count, unsigned long long* changed) {
  const long long step = 8 * (long long)gridDim.x * blockDim.x;
  const long long first = 8 * ((long long)blockIdx.x * blockDim.x + threadIdx.x);
  unsigned long long found = 0;
  for (long long i = 0; i < count; ++i) {
    const long long begin = ranges[2 * i], end = ranges[2 * i + 1];
    for (long long at = begin / 8 * 8 + first; at < end; at += step)
      found += harness_bytes(before, at, begin, end) != harness_bytes(after, at, begin, end);
  }
  if (found != 0) atomicAdd(changed, found);
}

// Units of 1, 2, 4 or 8 bytes that are somewhere else than they were: gathered one by one.
extern "C" __global__ void harness_gather(const unsigned char* image, const long long* places, long long count,
                                          long long width, unsigned long long* units) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  units[i] = harness_bytes(image, places[i], places[i], places[i] + width);
}

// core/launch_comparison.h: ComparedOutput, with the enums as numbers, the row cut into segments.
struct HarnessCompared {
  long long as, dtype, reference_dtype;
  long long at, bytes, reference_at;
  long long count, row_length, rows, segments;  // elements, elements, -, of a row
  long long rank, extents[6], strides[6];       // outermost first, in elements
  double tolerance, steps, row_factor;
  long long lengths_at, lengths_dtype, outer, inner, extent;  // lengths_at below 0: every row is valid
};
enum { kHarnessRelative, kHarnessUlp, kHarnessQuantized, kHarnessExact };
constexpr long long kHarnessSegment = 4096;

// core/launch_comparison.h: OutputNumbers.
struct HarnessCounts {
  unsigned long long compared, wrong, over_steps, disagree, non_finite, unwritten, mismatches;
  unsigned long long max_ulp, worst_badness, worst_row_error;  // the last two as the bits of doubles
  unsigned long long changed, changed_outside, changed_units, histogram[33];
};

__device__ inline long long harness_integer(const unsigned char* units, long long dtype, long long at) {
  switch (dtype) {
    case 6: return ((const signed char*)units)[at];
    case 8: return ((const short*)units)[at];
    case 9: return ((const unsigned short*)units)[at];
    case 10: return ((const int*)units)[at];
    case 11: return ((const unsigned*)units)[at];
    case 12: case 13: return ((const long long*)units)[at];
    default: return units[at];
  }
}

__device__ inline int harness_width(long long dtype) {
  if (dtype < 6) return harness_unit(dtype);
  return dtype < 8 || dtype == 14 ? 1 : dtype < 10 ? 2 : dtype < 12 ? 4 : 8;
}

__device__ inline unsigned long long harness_raw(const unsigned char* units, int width, long long at) {
  switch (width) {
    case 1: return units[at];
    case 2: return ((const unsigned short*)units)[at];
    case 4: return ((const unsigned*)units)[at];
    default: return ((const unsigned long long*)units)[at];
  }
}

__device__ inline unsigned long long harness_round(long long dtype, double value) {
  if (isnan(value) && dtype > kHarnessF32) return harness_unit(dtype) == 2 ? 0x7fff : 0x7f;
  switch (dtype) {
    case kHarnessF64: return (unsigned long long)__double_as_longlong(value);
    case kHarnessF32: return __float_as_uint((float)value);
    case kHarnessF16: return harness_encode(value, 10, 15, 0x8000u, 0x7bffu, 0x7c00u);
    case kHarnessBf16: return harness_encode(value, 7, 127, 0x8000u, 0x7f7fu, 0x7f80u);
    case kHarnessE4m3: return harness_encode(value, 3, 7, 0x80u, 0x7eu, 0x7eu);
    default: return harness_encode(value, 2, 15, 0x80u, 0x7bu, 0x7cu);
  }
}

__device__ inline double harness_value(long long dtype, unsigned long long bits) {
  switch (dtype) {
    case kHarnessF64: return __longlong_as_double((long long)bits);
    case kHarnessF32: return __uint_as_float((unsigned)bits);
    case kHarnessF16: return harness_decode((unsigned)bits, 10, 15, 16);
    case kHarnessBf16: return harness_decode((unsigned)bits, 7, 127, 16);
    case kHarnessE4m3: return harness_decode((unsigned)bits, 3, 7, 8);
    default: return harness_decode((unsigned)bits, 2, 15, 8);
  }
}

// core/dtype.cpp, ulp_distance.
__device__ inline unsigned long long harness_ulp(long long dtype, unsigned long long x, unsigned long long y) {
  constexpr unsigned long long kFar = 0x7fffffffffffffffull;
  const bool x_nan = isnan(harness_value(dtype, x)), y_nan = isnan(harness_value(dtype, y));
  if (x_nan || y_nan) return x_nan == y_nan ? 0 : kFar;
  const unsigned long long sign = 1ull << (8 * harness_unit(dtype) - 1);
  const unsigned long long a = x & (sign - 1), b = y & (sign - 1);
  const unsigned long long distance = (x & sign) == (y & sign) ? (a > b ? a - b : b - a) : a + b;
  return distance > kFar ? kFar : distance;
}

__device__ inline double harness_infinity() {
  return __longlong_as_double(0x7ff0000000000000ll);
}

// One row's segment: which elements, and where the row lies in storage.
struct HarnessSegment {
  long long row, begin, end, base;  // columns [begin, end); units
};

__device__ inline HarnessSegment harness_segment(const HarnessCompared& c, long long unit) {
  HarnessSegment s;
  s.row = unit / c.segments;
  s.begin = unit % c.segments * kHarnessSegment;
  s.end = s.begin + kHarnessSegment < c.row_length ? s.begin + kHarnessSegment : c.row_length;
  s.base = 0;
  long long left = s.row;
  for (int k = (int)c.rank - 2; k >= 0; --k) {
    s.base += left % c.extents[k] * c.strides[k];
    left /= c.extents[k];
  }
  return s;
}

__device__ inline bool harness_valid(const HarnessCompared& c, const unsigned char* before, long long logical) {
  if (c.lengths_at < 0) return true;
  const long long length = harness_integer(before + c.lengths_at, c.lengths_dtype, logical / c.outer);
  return logical / c.inner % c.extent < length;
}

// The lanes of a warp, added in an order that never changes. Lane 0 has the sum.
template <typename T>
__device__ inline T harness_warp_sum(T value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffffu, value, distance);
  return value;
}

// A warp for each segment: sums of the squared reference, and how many.
extern "C" __global__ void harness_reference_sums(const unsigned char* before, const unsigned char* reference,
                                                  const HarnessCompared* table, long long which, double* segments) {
  const HarnessCompared& c = table[which];
  const double* const exact = (const double*)(reference + c.reference_at);
  const long long stride = c.strides[c.rank - 1], warps = (long long)gridDim.x * (blockDim.x / 32);
  const int lane = threadIdx.x % 32;
  for (long long unit = (long long)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; unit < c.rows * c.segments;
       unit += warps) {
    const HarnessSegment s = harness_segment(c, unit);
    double sum = 0, count = 0;
    for (long long column = s.begin + lane; column < s.end; column += 32) {
      const double value = exact[s.base + column * stride];
      if (!isfinite(value) || !harness_valid(c, before, s.row * c.row_length + column)) continue;
      sum += value * value;
      count += 1;
    }
    sum = harness_warp_sum(sum);
    count = harness_warp_sum(count);
    if (lane == 0) {
      segments[2 * unit] = sum;
      segments[2 * unit + 1] = count;
    }
  }
}

// A thread for each row: its rms, and its sums for the whole.
extern "C" __global__ void harness_row_norms(const HarnessCompared* table, long long which, const double* segments,
                                             double* rows, double* row_rms) {
  const HarnessCompared& c = table[which];
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long row = (long long)blockIdx.x * blockDim.x + threadIdx.x; row < c.rows; row += step) {
    double sum = 0, count = 0;
    for (long long k = 0; k < c.segments; ++k) {
      sum += segments[2 * (row * c.segments + k)];
      count += segments[2 * (row * c.segments + k) + 1];
    }
    rows[2 * row] = sum;
    rows[2 * row + 1] = count;
    row_rms[row] = count == 0 ? 0 : sqrt(sum / count);
  }
}

// One block: the columns of `rows` x `words` numbers, each added in an order that never changes.
extern "C" __global__ void harness_total(const double* numbers, long long rows, long long words, double* totals) {
  __shared__ double partial[256];
  for (long long word = 0; word < words; ++word) {
    double sum = 0;
    for (long long row = threadIdx.x; row < rows; row += blockDim.x) sum += numbers[row * words + word];
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
      if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
      __syncthreads();
    }
    if (threadIdx.x == 0) totals[word] = partial[0];
    __syncthreads();
  }
}

// What one thread has met.
struct HarnessSeen {
  unsigned long long compared, wrong, over_steps, disagree, non_finite, unwritten, mismatches, max_ulp;
  unsigned long long changed, changed_outside;
  double worst_badness;
};

struct HarnessSums {
  double error2, reference2, product, count;
};

// Absolute errors below it are none: negligible_error of judge/comparison.cpp.
__device__ inline double harness_negligible(int dtype) {
  switch (dtype) {
    case kHarnessF64: return 0x1p-1022;
    case kHarnessF16: return 0.51 * 0x1p-24;
    case kHarnessE4m3: return 0.51 * 0x1p-9;
    case kHarnessE4m3 + 1: return 0.51 * 0x1p-16;
    default: return 0x1p-126;
  }
}

// One element's part in everything. `rms`, `row_rms`: of the reference.
__device__ inline void harness_element(const HarnessCompared& c, unsigned long long was, unsigned long long is,
                                       const unsigned char* reference, const unsigned char* after, long long at,
                                       double rms, double row_rms, unsigned* histogram, HarnessSeen& seen,
                                       HarnessSums& sums) {
  const bool floating = c.dtype < 6;
  double value, expected, got, off;
  bool agrees = true;
  unsigned long long ulp = 0;
  if (floating) {
    value = ((const double*)reference)[at];
    const unsigned long long rounded = harness_round(c.dtype, value);
    expected = harness_value(c.dtype, rounded);
    got = harness_value(c.dtype, is);
    if (rounded != is) ulp = harness_ulp(c.dtype, rounded, is);
    agrees = isfinite(expected) ? isfinite(got) : isnan(expected) ? isnan(got) : got == expected;
    off = !agrees ? harness_infinity() : isfinite(expected) ? fabs(got - expected) : 0;
  } else {
    const long long x = harness_integer(reference, c.dtype, at), y = harness_integer(after, c.dtype, at);
    const bool above = c.dtype == 13 ? (unsigned long long)x > (unsigned long long)y : x > y;
    off = (double)(above ? (unsigned long long)x - (unsigned long long)y : (unsigned long long)y - (unsigned long long)x);
    value = expected = c.dtype == 13 ? (double)(unsigned long long)x : (double)x;
    got = c.dtype == 13 ? (double)(unsigned long long)y : (double)y;
  }
  ++seen.compared;
  if (!agrees) {
    ++seen.disagree;
    if (isfinite(expected)) ++seen.non_finite;
  }
  double badness;
  if (!agrees) {
    badness = harness_infinity();
  } else if (c.as == kHarnessRelative) {
    const double error = fabs(got - value), scale = fmax(fmax(fabs(value), row_rms), rms);
    badness = error < harness_negligible(c.dtype) || !isfinite(expected) ? 0 : error / (c.row_factor * c.tolerance * (scale == 0 ? 1 : scale));
  } else if (c.as == kHarnessUlp) {
    badness = (double)ulp / (c.tolerance + 0.5);
  } else {
    badness = c.as == kHarnessQuantized ? off / c.steps : off == 0 ? 0 : 1 + off;
  }
  if (badness > seen.worst_badness) seen.worst_badness = badness;
  if (badness > 1) {
    ++seen.wrong;
    if (was == is) ++seen.unwritten;
  }
  if (isfinite(value)) {
    if (isfinite(got)) {
      const bool none = floating && fabs(got - value) < harness_negligible(c.dtype);
      sums.error2 += none ? 0 : (got - value) * (got - value);
      sums.product += (none ? value : got) * value;
    } else if (!agrees) {
      const double missed = fmax(fabs(value), rms);
      sums.error2 += missed == 0 ? 1 : missed * missed;
    }
    if (isfinite(got) || !agrees) {
      sums.reference2 += value * value;
      sums.count += 1;
    }
  }
  if (floating) {
    const bool far = ulp >= 1ull << 31 || !isfinite(got);
    atomicAdd(histogram + (far ? (ulp == 0 ? 0 : 32) : 64 - __clzll((long long)ulp)), 1u);
    if (ulp > seen.max_ulp) seen.max_ulp = ulp;
  }
  if ((!floating || c.as != kHarnessRelative) && off > 0) ++seen.mismatches;
  if ((!floating || c.as != kHarnessRelative) && off > c.steps) ++seen.over_steps;
}

__device__ inline void harness_count(unsigned long long* into, unsigned long long seen) {
  seen = harness_warp_sum(seen);
  if (threadIdx.x % 32 == 0 && seen != 0) atomicAdd(into, seen);
}

// A warp for each segment. `reference_totals`: what harness_total made of the rows of the reference.
extern "C" __global__ void harness_compare(const unsigned char* before, const unsigned char* after,
                                           const unsigned char* reference, const HarnessCompared* table,
                                           long long which, const double* reference_totals, const double* row_rms,
                                           double* segments, HarnessCounts* counts) {
  __shared__ unsigned histogram[33];
  for (unsigned i = threadIdx.x; i < 33; i += blockDim.x) histogram[i] = 0;
  __syncthreads();
  const HarnessCompared& c = table[which];
  const double rms = reference_totals[1] > 0 ? sqrt(reference_totals[0] / reference_totals[1]) : 0;
  const long long stride = c.strides[c.rank - 1], warps = (long long)gridDim.x * (blockDim.x / 32);
  const int lane = threadIdx.x % 32, width = harness_width(c.dtype);
  HarnessSeen seen = {};
  for (long long unit = (long long)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; unit < c.rows * c.segments;
       unit += warps) {
    const HarnessSegment s = harness_segment(c, unit);
    HarnessSums sums = {};
    for (long long column = s.begin + lane; column < s.end; column += 32) {
      const long long at = s.base + column * stride;
      const unsigned long long was = harness_raw(before + c.at, width, at), is = harness_raw(after + c.at, width, at);
      const bool valid = harness_valid(c, before, s.row * c.row_length + column);
      seen.changed += was != is;
      seen.changed_outside += was != is && !valid;
      if (valid)
        harness_element(c, was, is, reference + c.reference_at, after + c.at, at, rms, c.dtype < 6 ? row_rms[s.row] : 0,
                        histogram, seen, sums);
    }
    const double parts[4] = {harness_warp_sum(sums.error2), harness_warp_sum(sums.reference2),
                             harness_warp_sum(sums.product), harness_warp_sum(sums.count)};
    if (lane == 0)
      for (int k = 0; k < 4; ++k) segments[4 * unit + k] = parts[k];
  }
  harness_count(&counts->compared, seen.compared);
  harness_count(&counts->wrong, seen.wrong);
  harness_count(&counts->over_steps, seen.over_steps);
  harness_count(&counts->disagree, seen.disagree);
  harness_count(&counts->non_finite, seen.non_finite);
  harness_count(&counts->unwritten, seen.unwritten);
  harness_count(&counts->mismatches, seen.mismatches);
  harness_count(&counts->changed, seen.changed);
  harness_count(&counts->changed_outside, seen.changed_outside);
  atomicMax(&counts->max_ulp, seen.max_ulp);
  atomicMax(&counts->worst_badness, (unsigned long long)__double_as_longlong(seen.worst_badness));
  __syncthreads();
  for (unsigned i = threadIdx.x; i < 33; i += blockDim.x)
    if (histogram[i] != 0) atomicAdd(&counts->histogram[i], (unsigned long long)histogram[i]);
}

// A thread for each row: its error against the larger of its own norm and a typical row's, and its sums for the whole.
extern "C" __global__ void harness_row_errors(const HarnessCompared* table, long long which,
                                              const double* reference_totals, const double* segments, double* rows,
                                              HarnessCounts* counts) {
  const HarnessCompared& c = table[which];
  const double rms = reference_totals[1] > 0 ? sqrt(reference_totals[0] / reference_totals[1]) : 0;
  const long long step = (long long)gridDim.x * blockDim.x;
  double worst = 0;
  for (long long row = (long long)blockIdx.x * blockDim.x + threadIdx.x; row < c.rows; row += step) {
    double sums[4] = {};
    for (long long k = 0; k < c.segments; ++k)
      for (int word = 0; word < 4; ++word) sums[word] += segments[4 * (row * c.segments + k) + word];
    for (int word = 0; word < 4; ++word) rows[4 * row + word] = sums[word];
    if (c.dtype >= 6 || sums[0] == 0) continue;
    const double scale = fmax(sqrt(sums[1]), rms * sqrt(sums[3]));
    const double error = sqrt(sums[0]) / (scale == 0 ? sqrt(sums[3]) : scale);
    if (error > worst) worst = error;
  }
  atomicMax(&counts->worst_row_error, (unsigned long long)__double_as_longlong(worst));
}

// Storage of an output with padding inside: what changed of it, elements or not.
extern "C" __global__ void harness_changed_units(const unsigned char* before, const unsigned char* after,
                                                 const HarnessCompared* table, long long which, HarnessCounts* counts) {
  const HarnessCompared& c = table[which];
  const int width = harness_width(c.dtype);
  const long long step = (long long)gridDim.x * blockDim.x;
  unsigned long long found = 0;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < c.bytes / width; i += step)
    found += harness_raw(before + c.at, width, i) != harness_raw(after + c.at, width, i);
  harness_count(&counts->changed_units, found);
}
