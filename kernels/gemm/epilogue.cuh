#pragma once
#include <harness/convert.cuh>
#include <harness/pack.cuh>
#include <harness/vec.cuh>

// What follows the product: d = act(sum + bias) * other + residual, in fp32, rounded once.
// Absent arguments are null, so every thread of a launch takes the same way through the conditions.
template <class T, class Out>
struct Epilogue {
  Out* d;
  const T *bias, *other, *residual;
  int rows, columns;
  long long pitch;  // from row to row of d, other and residual
  int gelu, silu;

  __device__ float activate(float x) const {
    // x/2 (1 + tanh(u)) = x / (1 + exp(-2 u)); where exp overflows the quotient is 0, as it should be.
    if (gelu) return x / (1.0f + __expf(-1.5957691216057308f * (x + 0.044715f * x * x * x)));
    if (silu) return x / (1.0f + __expf(-x));
    return x;
  }
  /// The element of d that comes of `sum`. The place must lie inside.
  __device__ float finish(float sum, int row, int column) const {
    const long long at = row * pitch + column;
    float x = sum;
    if (bias) x += harness::to_float(bias[column]);
    x = activate(x);
    if (other) x *= harness::to_float(other[at]);
    if (residual) x += harness::to_float(residual[at]);
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
    if (bias) add(sum, bias + column);
    sum = {activate(sum.x), activate(sum.y)};
    if (other) {
      const auto factor = harness::load<2>(other + at);
      sum.x *= harness::to_float(factor.at[0]);
      sum.y *= harness::to_float(factor.at[1]);
    }
    if (residual) add(sum, residual + at);
    return sum;
  }

 private:
  __device__ static void add(float2& sum, const T* pair) {
    const auto added = harness::load<2>(pair);
    sum.x += harness::to_float(added.at[0]);
    sum.y += harness::to_float(added.at[1]);
  }
};
