/*
hypothesis: Four proposals' loads by threads end at 80 % of the floor. CTAs that stay take parts of rows in turn; the bulk copies of the
  next parts are under way while one is computed, whatever the registers hold. Plain stores as in the third.
speedup: [1.3, 1.5]
params: {"BLOCK": {"values": [128, 256], "bind": "template"}, "STAGES": {"values": [3, 4], "bind": "template"},
  "CTAS": {"values": [2, 4], "bind": "launch"}}
valid: function(p, w, device) return all_of(divisible(w.d, 4), le(p.BLOCK * p.STAGES * p.CTAS, 6144)) end
steps: function(p, w, device)
    local parts = cdiv(w.d, 4 * p.BLOCK)
    return { launch { entry = "silu_and_mul_kernel<$BLOCK,$STAGES>", grid = { min(p.CTAS * device.multiprocessors, w.num_tokens * parts) },
                      block = { p.BLOCK }, shared = p.STAGES * p.BLOCK * 32,
                      args = { "out", "input", i32(w.d), i32(parts), i32(w.num_tokens * parts) } } }
  end
*/
#include <harness/adopted.cuh>
#include <harness/mbarrier.cuh>
#include <harness/tma.cuh>

__device__ inline float gated(float x, float y) {
  return x * (1.0f / (1.0f + __expf(-x))) * y;
}

template <int BLOCK, int STAGES>
__global__ void __launch_bounds__(BLOCK) silu_and_mul_kernel(float* __restrict__ out, const float* __restrict__ input,
                                                             const int d, const int parts, const int all) {
  extern __shared__ __align__(128) float4 memory[];  // STAGES x (BLOCK vectors of the gate, BLOCK vectors of the other half)
  __shared__ harness::Mbarrier full[STAGES];
  const int vectors = d / 4;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) harness::mbarrier_init(&full[s], 1);
    harness::mbarrier_init_fence();
  }
  __syncthreads();
  const auto ask = [&](int part, int stage) {
    if (threadIdx.x != 0 || part >= all) return;
    const int first = part % parts * BLOCK;
    const unsigned bytes = 16 * min(BLOCK, vectors - first);
    const float* const from = input + (size_t)(part / parts) * 2 * d + 4 * first;
    harness::mbarrier_arrive_expect(&full[stage], 2 * bytes);
    harness::bulk_load(memory + 2 * stage * BLOCK, from, bytes, &full[stage]);
    harness::bulk_load(memory + (2 * stage + 1) * BLOCK, from + d, bytes, &full[stage]);
  };
  for (int s = 0; s < STAGES; ++s) ask(blockIdx.x + s * gridDim.x, s);
  unsigned stage = 0, parity = 0;
  for (int part = blockIdx.x; part < all; part += gridDim.x) {
    harness::mbarrier_wait(&full[stage], parity);
    const int at = part % parts * BLOCK + threadIdx.x;
    float4 x = make_float4(0, 0, 0, 0), y = x;
    if (at < vectors) {
      x = memory[2 * stage * BLOCK + threadIdx.x];
      y = memory[(2 * stage + 1) * BLOCK + threadIdx.x];
    }
    __syncthreads();  // the place is free
    if (threadIdx.x == 0) harness::async_proxy_fence();
    ask(part + STAGES * gridDim.x, stage);
    if (at < vectors)
      reinterpret_cast<float4*>(out)[(size_t)(part / parts) * vectors + at] =
          make_float4(gated(x.x, y.x), gated(x.y, y.y), gated(x.z, y.z), gated(x.w, y.w));
    if (++stage == STAGES) stage = 0, parity ^= 1;
  }
}
