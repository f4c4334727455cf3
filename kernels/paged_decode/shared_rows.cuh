#pragma once
#include <harness/convert.cuh>
#include <harness/infinity.cuh>
#include <harness/vec.cuh>

// What a block of WARPS warps knows of some keys of one sequence, for GROUP query heads that share a key/value head.
// D / VEC lanes share a key and load VEC neighbouring elements each, so a warp takes 32 * VEC / D keys at once. Scores
// are in units of log2. A partial result is (out, largest, sum): out is not divided by sum, and both are relative to
// largest; of no key at all it is (0, -inf, 0), which weighs nothing.
template <class T, int D, int VEC, int GROUP, int WARPS>
struct SharedRows {
  static constexpr int kLanes = D / VEC, kKeys = 32 / kLanes;
  static_assert(kLanes <= 32 && 32 % kLanes == 0, "a warp takes whole keys");

  float query[GROUP][VEC], out[GROUP][VEC], largest[GROUP], sum[GROUP];

  __device__ static int lane() { return threadIdx.x % 32; }
  __device__ static int warp() { return threadIdx.x / 32; }
  __device__ static int column() { return lane() % kLanes * VEC; }

  /// `q`: the first of GROUP rows.
  __device__ SharedRows(const T* q, float scale) {
    const float factor = scale * 1.4426950408889634f;
#pragma unroll
    for (int g = 0; g < GROUP; ++g) {
      const harness::Vec<T, VEC> loaded = harness::load<VEC>(q + g * D + column());
#pragma unroll
      for (int x = 0; x < VEC; ++x) {
        query[g][x] = harness::to_float(loaded.at[x]) * factor;
        out[g][x] = 0;
      }
      largest[g] = -harness::kInfinity;
      sum[g] = 0;
    }
  }

  static __device__ float weight_of(float score, float base) {
    return base == -harness::kInfinity ? 0.0f : exp2f(score - base);
  }

  /// The keys from `begin` up to `end`. `table`: of this sequence. `stride`: elements from one key to the next.
  __device__ void attend(const T* k_head, const T* v_head, const int* table, int begin, int end, int block,
                         long long stride) {
    // Every lane stays in the loop as long as any has a key, for they exchange sums.
    for (int first = begin + warp() * kKeys; first < end; first += WARPS * kKeys) {
      const int j = first + lane() / kLanes;
      const bool exists = j < end;
      const int known = exists ? j : begin;
      const long long at = (static_cast<long long>(table[known / block]) * block + known % block) * stride + column();
      const harness::Vec<T, VEC> key = harness::load<VEC>(k_head + at), value = harness::load<VEC>(v_head + at);
#pragma unroll
      for (int g = 0; g < GROUP; ++g) {
        float score = 0;
#pragma unroll
        for (int x = 0; x < VEC; ++x) score += query[g][x] * harness::to_float(key.at[x]);
#pragma unroll
        for (int step = kLanes / 2; step > 0; step /= 2) score += __shfl_xor_sync(0xffffffffu, score, step);
        if (!exists) score = -harness::kInfinity;
        const float now = fmaxf(largest[g], score);
        const float before = weight_of(largest[g], now), weight = weight_of(score, now);
        largest[g] = now;
        sum[g] = sum[g] * before + weight;
#pragma unroll
        for (int x = 0; x < VEC; ++x) out[g][x] = out[g][x] * before + weight * harness::to_float(value.at[x]);
      }
    }
  }

  /// Puts together what the lanes and warps of the block have. `write(g, column, out, largest, sum)` is called once for
  /// every column of every row, by some thread.
  template <class Write>
  __device__ void finish(const Write& write) {
    __shared__ float of_warp[WARPS][GROUP][D], largest_of[WARPS][GROUP], sum_of[WARPS][GROUP];
#pragma unroll
    for (int g = 0; g < GROUP; ++g) {
#pragma unroll
      for (int step = kLanes; step < 32; step *= 2) {
        const float theirs = __shfl_xor_sync(0xffffffffu, largest[g], step), now = fmaxf(largest[g], theirs);
        const float mine = weight_of(largest[g], now), other = weight_of(theirs, now);
        sum[g] = sum[g] * mine + __shfl_xor_sync(0xffffffffu, sum[g], step) * other;
#pragma unroll
        for (int x = 0; x < VEC; ++x)
          out[g][x] = out[g][x] * mine + __shfl_xor_sync(0xffffffffu, out[g][x], step) * other;
        largest[g] = now;
      }
      if (lane() < kLanes)
#pragma unroll
        for (int x = 0; x < VEC; ++x) of_warp[warp()][g][column() + x] = out[g][x];
      if (lane() == 0) {
        largest_of[warp()][g] = largest[g];
        sum_of[warp()][g] = sum[g];
      }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < GROUP * D; i += 32 * WARPS) {
      const int g = i / D, c = i % D;
      float overall = -harness::kInfinity, total = 0, all = 0;
      for (int w = 0; w < WARPS; ++w) overall = fmaxf(overall, largest_of[w][g]);
      for (int w = 0; w < WARPS; ++w) {
        const float weight = weight_of(largest_of[w][g], overall);
        total += weight * sum_of[w][g];
        all += weight * of_warp[w][g][c];
      }
      write(g, c, all, overall, total);
    }
  }
};

// Range `split` of `splits` of a sequence: whole pages, as many to each as there are pages to share.
struct PageRange {
  int begin, end;
  __device__ PageRange(int length, int block, int split, int splits) {
    const int pages = (length + block - 1) / block, each = (pages + splits - 1) / splits * block;
    begin = min(length, split * each);
    end = min(length, begin + each);
  }
};

// Workspaces: o_partial [B * Hq, splits, D], max_partial and sum_partial [B * Hq, splits], every element written.
// Grid: splits, groups of GROUP query heads, sequences.
template <class T, int D, int VEC, int GROUP, int WARPS>
__device__ void decode_range(const T* q, const T* k_pages, const T* v_pages, const int* lengths, const int* page_table,
                             float* o_partial, float* max_partial, float* sum_partial, float scale, int Hq, int Hkv,
                             int block, int max_pages, int splits) {
  const int split = blockIdx.x, head = blockIdx.y * GROUP, b = blockIdx.z;
  const int kv_head = head / (Hq / Hkv);
  const long long row = static_cast<long long>(b) * Hq + head;
  const PageRange range(lengths[b], block, split, splits);
  SharedRows<T, D, VEC, GROUP, WARPS> rows(q + row * D, scale);
  rows.attend(k_pages + kv_head * D, v_pages + kv_head * D, page_table + static_cast<long long>(b) * max_pages,
              range.begin, range.end, block, static_cast<long long>(Hkv) * D);
  rows.finish([&](int g, int column, float out, float largest, float sum) {
    const long long partial = (row + g) * splits + split;
    o_partial[partial * D + column] = out;
    if (column != 0) return;
    max_partial[partial] = largest;
    sum_partial[partial] = sum;
  });
}

// The second launch: a block of D threads a row, a column each. Each range is weighed once.
template <class T, int D>
__device__ void combine_ranges(const float* o_partial, const float* max_partial, const float* sum_partial, T* o,
                               int splits) {
  const long long row = blockIdx.x;
  float overall = -harness::kInfinity, sum = 0, out = 0;
  for (int s = 0; s < splits; ++s) overall = fmaxf(overall, max_partial[row * splits + s]);
  for (int s = 0; s < splits; ++s) {
    const float weight = exp2f(max_partial[row * splits + s] - overall);
    sum += weight * sum_partial[row * splits + s];
    out += weight * o_partial[(row * splits + s) * D + threadIdx.x];
  }
  o[row * D + threadIdx.x] = harness::from_float<T>(out / sum);
}
