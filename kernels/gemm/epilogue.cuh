#pragma once
#include <harness/convert.cuh>
#include <harness/pack.cuh>
#include <harness/prefetch.cuh>
#include <harness/vec.cuh>

// What follows the product: d = act(sum + bias) * other + residual, in fp32, rounded once.
//
// Which parts there are is known when the kernel is compiled. Asked at run time, the questions cost twice: every
// element of a tile has its own copy of the code, because accumulators are registers, and jumping over what is not
// wanted misses the instruction cache each time: 2048^3 in tiles of 128 x 256 took 47 us on an H200, and takes 25.
template <class T, class Out, bool BIAS, bool GELU, bool SILU, bool OTHER, bool RESIDUAL>
struct Epilogue {
  using Stored = Out;
  static constexpr bool kOther = OTHER, kResidual = RESIDUAL;
  Out* d;
  const T *bias, *other, *residual;
  int rows, columns;
  long long pitch;  // from row to row of d, other and residual

  __device__ static float activate(float x) {
    // x/2 (1 + tanh(u)) = x / (1 + exp(-2 u)); where exp overflows the quotient is 0, as it should be.
    if constexpr (GELU) return x / (1.0f + __expf(-1.5957691216057308f * (x + 0.044715f * x * x * x)));
    if constexpr (SILU) return x / (1.0f + __expf(-x));
    return x;
  }
  /// The element of d that comes of `sum`. The place must lie inside.
  __device__ float finish(float sum, int row, int column) const {
    const long long at = row * pitch + column;
    float x = sum;
    if constexpr (BIAS) x += harness::to_float(bias[column]);
    x = activate(x);
    if constexpr (OTHER) x *= harness::to_float(other[at]);
    if constexpr (RESIDUAL) x += harness::to_float(residual[at]);
    return x;
  }
  __device__ void store(float sum, int row, int column) const {
    if (row < rows && column < columns) d[row * pitch + column] = harness::from_float<Out>(finish(sum, row, column));
  }

  /// Whether rows begin at multiples of 16 bytes, so that vectors may be used.
  __device__ bool has_aligned_rows() const { return pitch % 8 == 0; }
  /// Columns `column`, an even one, and the next; both inside, rows aligned.
  __device__ float2 finish_pair(float2 sum, int row, int column) const {
    const long long at = row * pitch + column;
    if constexpr (BIAS) add(sum, bias + column);
    sum = {activate(sum.x), activate(sum.y)};
    if constexpr (OTHER) {
      const auto factor = harness::load<2>(other + at);
      sum.x *= harness::to_float(factor.at[0]);
      sum.y *= harness::to_float(factor.at[1]);
    }
    if constexpr (RESIDUAL) add(sum, residual + at);
    return sum;
  }
  /// The same, with the pairs of `other` and `residual` as the words that hold them.
  __device__ float2 finish_words(float2 sum, int column, unsigned factor, unsigned added) const {
    if constexpr (BIAS) add(sum, bias + column);
    sum = {activate(sum.x), activate(sum.y)};
    if constexpr (OTHER) {
      const float2 pair = harness::unpack<T>(factor);
      sum = {sum.x * pair.x, sum.y * pair.y};
    }
    if constexpr (RESIDUAL) {
      const float2 pair = harness::unpack<T>(added);
      sum = {sum.x + pair.x, sum.y + pair.y};
    }
    return sum;
  }
  /// Asks for what finishing `width` columns of a row will read. For one thread; anywhere.
  __device__ void prefetch(int row, int column, int width) const {
    if (!(OTHER || RESIDUAL) || !has_aligned_rows() || row >= rows || column >= columns) return;
    const int bytes = 2 * (min(width, columns - column) & ~7);
    if (bytes == 0) return;
    if constexpr (OTHER) harness::prefetch_row(other + row * pitch + column, bytes);
    if constexpr (RESIDUAL) harness::prefetch_row(residual + row * pitch + column, bytes);
  }
  /// Columns `column`, a multiple of four, and the next three, wherever they are.
  __device__ void store_four(const harness::Vec<float, 4>& sum, int row, int column) const {
    if (has_aligned_rows() && row < rows && column + 3 < columns) {
      harness::Vec<Out, 4> stored;
#pragma unroll
      for (int e = 0; e < 4; e += 2) {
        const float2 pair = finish_pair({sum.at[e], sum.at[e + 1]}, row, column + e);
        stored.at[e] = harness::from_float<Out>(pair.x);
        stored.at[e + 1] = harness::from_float<Out>(pair.y);
      }
      harness::store(d + row * pitch + column, stored);
    } else {
#pragma unroll
      for (int e = 0; e < 4; ++e) store(sum.at[e], row, column + e);
    }
  }

 private:
  __device__ static void add(float2& sum, const T* pair) {
    const auto added = harness::load<2>(pair);
    sum.x += harness::to_float(added.at[0]);
    sum.y += harness::to_float(added.at[1]);
  }
};
