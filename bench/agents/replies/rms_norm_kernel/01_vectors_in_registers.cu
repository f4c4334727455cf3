/*
hypothesis: Loads and stores of two bytes, and the row read twice. Eight elements travel as 16 bytes, the row stays in registers,
  and the weights are asked for before the reduction, so that nothing waits for them after it.
speedup: [1.5, 3.5]
params: {"BLOCK": {"values": [128, 256, 512], "bind": "template"}, "ITEMS": {"values": [1, 2, 4], "bind": "template"}}
valid: function(p, w, device)
    return all_of(divisible(w.hidden_size, 8), le(w.hidden_size, 8 * p.BLOCK * p.ITEMS),
                  any_of(p.ITEMS == 1, lt(4 * p.BLOCK * p.ITEMS, w.hidden_size)))
  end
steps: function(p, w, device)
    return { launch { entry = "rms_norm_kernel<$dtype,$BLOCK,$ITEMS>", grid = { w.num_tokens }, block = { p.BLOCK },
                      shared = 0, args = { "out", "input", "weight", "epsilon", i32(w.num_tokens), i32(w.hidden_size) } } }
  end
*/
#include <harness/adopted.cuh>
#include <harness/convert.cuh>
#include <harness/vec.cuh>
#include <harness/warp.cuh>

template <typename T, int BLOCK, int ITEMS>
__global__ void __launch_bounds__(BLOCK) rms_norm_kernel(T* __restrict__ out, const T* __restrict__ input,
                                                         const T* __restrict__ weight, const float epsilon,
                                                         const int num_tokens, const int hidden_size) {
  __shared__ float of_warp[BLOCK / 32];
  const int vectors = hidden_size / 8;
  const T* const row = input + (size_t)blockIdx.x * hidden_size;
  harness::Vec<T, 8> x[ITEMS], w[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = i * BLOCK + threadIdx.x;
    if (at < vectors) x[i] = harness::load<8>(row + 8 * at);
  }
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = i * BLOCK + threadIdx.x;
    if (at < vectors) w[i] = harness::load<8>(weight + 8 * at);
  }
  float squares = 0;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    if (i * BLOCK + threadIdx.x >= vectors) continue;
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      const float value = harness::to_float(x[i].at[e]);
      squares += value * value;
    }
  }
  squares = harness::warp_sum(squares);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = squares;
  __syncthreads();
  squares = 0;
#pragma unroll
  for (int i = 0; i < BLOCK / 32; ++i) squares += of_warp[i];
  const float factor = rsqrtf(squares / hidden_size + epsilon);
  T* const to = out + (size_t)blockIdx.x * hidden_size;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = i * BLOCK + threadIdx.x;
    if (at >= vectors) continue;
#pragma unroll
    for (int e = 0; e < 8; ++e)
      x[i].at[e] =
          harness::from_float<T>(harness::to_float(x[i].at[e]) * factor * harness::to_float(w[i].at[e]));
    harness::store(to + 8 * at, x[i]);
  }
}
