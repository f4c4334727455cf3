// A row of blocks for each set. A thread moves 16 bytes at a time; where a rotation shifts them within words, it reads
// two neighbours and cuts out the middle, and only at the seams of a buffer it goes byte by byte.
struct HarnessRotation { long long begin, unit, row, rows; };

__device__ inline unsigned long long harness_mix(unsigned long long x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

__device__ inline long long harness_origin(const HarnessRotation& b, long long by, long long at) {
  if (b.unit == b.row) {
    const long long from = at + by * b.unit, end = b.rows * b.unit;
    return from >= end ? from - end : from;
  }
  const long long row = at / b.unit, within = at - row * b.unit, from = row + by;
  return within >= b.row ? at : (from >= b.rows ? from - b.rows : from) * b.unit + within;
}

// Whether the 16 bytes from `at` on come from 16 bytes in a row.
__device__ inline bool harness_is_whole(const HarnessRotation& b, long long by, long long at) {
  if (b.unit == b.row) return harness_origin(b, by, at) + 16 <= b.rows * b.unit;
  const long long within = at % b.unit;
  return within + 16 <= b.row || (within >= b.row && within + 16 <= b.unit);
}

__device__ inline uint4 harness_cut(uint4 a, uint4 b, unsigned words, unsigned bits) {
  const unsigned w[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
  unsigned v[5];
#pragma unroll
  for (unsigned i = 0; i < 5; ++i) {
    v[i] = words == 0 ? w[i] : words == 1 ? w[i + 1] : words == 2 ? w[i + 2] : w[i + 3 < 8 ? i + 3 : 7];
  }
  uint4 r;
  r.x = __funnelshift_r(v[0], v[1], bits);
  r.y = __funnelshift_r(v[1], v[2], bits);
  r.z = __funnelshift_r(v[2], v[3], bits);
  r.w = __funnelshift_r(v[3], v[4], bits);
  return r;
}

extern "C" __global__ void harness_refresh(unsigned char* sets, const unsigned char* pristine, long long stride,
                                           long long images, long long first_set, long long phase,
                                           unsigned long long refresh, unsigned long long key0, unsigned long long key1,
                                           const HarnessRotation* rotations, long long count) {
  const long long set = first_set + blockIdx.y;
  const unsigned char* from = pristine + (set + phase) % images * stride;
  unsigned char* to = sets + set * stride;
  const unsigned long long place = refresh * 4096 + (unsigned long long)set;
  const unsigned long long r = harness_mix(harness_mix(key0 + place) ^ key1);
  const uint4* from16 = (const uint4*)from;
  uint4* to16 = (uint4*)to;
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long chunk = (long long)blockIdx.x * blockDim.x + threadIdx.x; chunk < stride / 16; chunk += step) {
    const long long at = chunk * 16;
    long long which = -1;
    for (long long i = 0; i < count; ++i) {
      const HarnessRotation b = rotations[i];
      if (at + 16 > b.begin && at < b.begin + (b.rows - 1) * b.unit + b.row) which = i;
    }
    if (which < 0) {
      to16[chunk] = from16[chunk];
      continue;
    }
    const HarnessRotation b = rotations[which];
    const long long by = (long long)(r % (unsigned long long)b.rows), end = (b.rows - 1) * b.unit + b.row;
    const long long within = at - b.begin;
    if (within >= 0 && within + 16 <= end && harness_is_whole(b, by, within)) {
      const long long origin = b.begin + harness_origin(b, by, within);
      const uint4 first = from16[origin / 16];
      const unsigned shift = (unsigned)(origin % 16);
      to16[chunk] = shift == 0 ? first : harness_cut(first, from16[origin / 16 + 1], shift / 4, shift % 4 * 8);
      continue;
    }
    for (long long i = 0; i < 16; ++i) {
      const bool inside = within + i >= 0 && within + i < end;
      to[at + i] = from[inside ? b.begin + harness_origin(b, by, within + i) : at + i];
    }
  }
}

extern "C" __global__ void harness_relocate(unsigned char* sets, long long stride, long long first_set,
                                            const long long* relocations, long long count) {
  unsigned char* set = sets + (first_set + blockIdx.y) * stride;
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const unsigned long long address = (unsigned long long)(set + relocations[2 * i + 1]);
  for (int byte = 0; byte < 8; ++byte) {
    set[relocations[2 * i] + byte] = (unsigned char)(address >> (8 * byte));
  }
}
