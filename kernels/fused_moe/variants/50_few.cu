#include <harness/load_now.cuh>
#include <harness/pdl.cuh>
#include <harness/prefetch.cuh>

#include "few.cuh"
#include "silu.cuh"

// Idea (playbook 116): with few tokens the time is that of reading the weights of the experts that were hit, each once.
// A warp reads whole rows of weights, 16 bytes a lane, AHEAD loads before the first is used, and multiplies them with
// all tokens of the expert. No tensor core is needed, and no routing launch: every block chooses for itself.
//
// Two launches: a warp takes a row of gate and the same of up, so it has an element of inner; then a warp takes a
// column of y and goes through the experts that were hit. It weights each product where it is added, so the sum over
// experts is the one that a lane makes anyway: nothing is stored between, no atomics, the same bits every time. The
// second launch begins under the first (PDL) and chooses meanwhile.
//
// A warp that has nothing left to do asks the L2 for rows of down, so the memory is busy also while the first launch
// ends and the second begins.
//
// Cost: a token costs a multiply-add for each weight of its experts, on CUDA cores.
// Stops: at the device memory's rate; beyond some eight tokens of an expert at multiply-adds.

using Bf16 = __nv_bfloat16;
using Eight = harness::Vec<Bf16, 8>;

namespace {

__device__ Eight load_eight(const Bf16* p) {
  const auto words = harness::load_now(p);
  Eight v;
  memcpy(&v, &words, sizeof v);
  return v;
}

/// A warp's way through a row of weights of each hit, one after the other: 256 elements of one at a time.
struct Step {
  int hit = 0, first = 0;

  __device__ void advance(int length) {
    first += 256;
    if (first >= length) first = 0, ++hit;
  }
};

}  // namespace

template <bool ROUTED, int TOKENS, int WARPS, int AHEAD, int BLOCKS>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS)
    inner_products(const Bf16* x, const float* logits, const int* offsets, const Bf16* gate_up, const Bf16* down,
                   Bf16* inner, int T, int H, int I, int E, int K, int of_token, int rows_ahead) {
  __shared__ FewTokens<TOKENS> few;
  few.template choose<ROUTED>(logits, offsets, T, E, K, of_token);
  harness::grid_launch_dependents();
  const int lane = threadIdx.x % 32, tasks = few.hits * I;
  for (int task = blockIdx.x * WARPS + threadIdx.x / 32; task < tasks; task += gridDim.x * WARPS) {
    const int hit = task / I, column = task - hit * I;
    const unsigned users = few.users[hit];
    const Bf16* const gate_row = gate_up + (2ll * few.expert[hit] * I + column) * H;
    const Bf16* const up_row = gate_row + static_cast<long long>(I) * H;
    float gate[TOKENS] = {}, up[TOKENS] = {};
    for (int first = 8 * lane; first < H; first += 256 * AHEAD) {
      Eight of_gate[AHEAD], of_up[AHEAD];
#pragma unroll
      for (int n = 0; n < AHEAD; ++n)
        if (first + 256 * n < H) {
          of_gate[n] = load_eight(gate_row + first + 256 * n);
          of_up[n] = load_eight(up_row + first + 256 * n);
        }
#pragma unroll
      for (int n = 0; n < AHEAD; ++n) {
        if (first + 256 * n >= H) break;
        float g[8], u[8];
        widen(g, of_gate[n]);
        widen(u, of_up[n]);
#pragma unroll
        for (int t = 0; t < TOKENS; ++t) {
          if (!(users >> t & 1)) continue;
          const auto own = harness::load<8>(x + static_cast<long long>(t) * H + first + 256 * n);
          multiply_add(gate[t], own, g);
          multiply_add(up[t], own, u);
        }
      }
    }
#pragma unroll
    for (int t = 0; t < TOKENS; ++t) {
      if (!(users >> t & 1)) continue;
      const float g = harness::warp_sum(gate[t]), u = harness::warp_sum(up[t]);
      if (lane == 0)
        inner[static_cast<long long>(t * of_token + few.which[hit][t]) * I + column] =
            harness::from_float<Bf16>(silu(g) * u);
    }
  }
  // Rows of down in the order in which the next launch begins with them.
  for (int row = blockIdx.x * 32 * WARPS + threadIdx.x; row < min(rows_ahead, few.hits * H);
       row += gridDim.x * 32 * WARPS)
    harness::prefetch_row(down + (static_cast<long long>(few.expert[row / H]) * H + row % H) * I, 2 * I);
}

template <bool ROUTED, int TOKENS, int WARPS, int AHEAD, int BLOCKS>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS)
    outer_products(const Bf16* inner, const float* logits, const int* offsets, const Bf16* down, Bf16* y, int T, int H,
                   int I, int E, int K, int of_token) {
  __shared__ FewTokens<TOKENS> few;
  few.template choose<ROUTED>(logits, offsets, T, E, K, of_token);
  harness::grid_dependency_wait();  // for inner
  const int lane = threadIdx.x % 32;
  for (int column = blockIdx.x * WARPS + threadIdx.x / 32; column < H; column += gridDim.x * WARPS) {
    float sum[TOKENS] = {};
    Step asked, used;  // what was asked for, and AHEAD of it
    while (used.hit < few.hits) {
      Eight row[AHEAD];
#pragma unroll
      for (int n = 0; n < AHEAD; ++n, asked.advance(I)) {
        const int k = asked.first + 8 * lane;
        if (asked.hit < few.hits && k < I)
          row[n] = load_eight(down + (static_cast<long long>(few.expert[asked.hit]) * H + column) * I + k);
      }
#pragma unroll
      for (int n = 0; n < AHEAD; ++n, used.advance(I)) {
        const int k = used.first + 8 * lane;
        if (used.hit >= few.hits || k >= I) continue;
        const unsigned users = few.users[used.hit];
        float w[8];
        widen(w, row[n]);
#pragma unroll
        for (int t = 0; t < TOKENS; ++t) {
          if (!(users >> t & 1)) continue;
          const int pair = t * of_token + few.which[used.hit][t];
          float product = 0;
          multiply_add(product, harness::load<8>(inner + static_cast<long long>(pair) * I + k), w);
          sum[t] += few.weight[pair] * product;
        }
      }
    }
#pragma unroll
    for (int t = 0; t < TOKENS; ++t) {
      if (t >= T) break;
      const float total = harness::warp_sum(sum[t]);
      if (lane == 0) y[static_cast<long long>(t) * H + column] = harness::from_float<Bf16>(total);
    }
  }
}
