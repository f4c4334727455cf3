#include <harness/pack.cuh>

#include "groups.cuh"
#include "mma_rows.cuh"
#include "routing.cuh"
#include "silu.cuh"

// Idea (playbook 104, 105): each expert gets its tokens as rows of one product, so its weights are read once for a
// whole tile of them. Blocks find their tile of rows by counting those of the experts before; tokens are gathered by
// cp.async, row by row, and multiplied by mma.sync.
//
// Columns of gate and up that belong together are computed by the same thread: of each 16 rows of the second factor in
// shared memory the first 8 are gate's and the others up's, so two neighbouring fragments hold both, and SwiGLU needs
// no exchange.
//
// Four launches: routing, inner products, outer products (stored at the place of their pair), weighted sums.
//
// Cost: the last tile of each expert is padded; BLOCK_M should be near to what an expert gets.
// Stops: at two thirds of an sm_90's tensor cores, whose full rate only wgmma reaches; with few tokens at how many
// bytes of the weights are on their way at a time.

using Bf16 = __nv_bfloat16;

__global__ void choose(const float* logits, int* counts, int* lists, float* weights, int T, int E, int K,
                       int of_token) {
  route(logits, counts, lists, weights, T, E, K, of_token);
}

__global__ void weighted_sum(const Bf16* outer, const float* weights, Bf16* y, int T, int H, int of_token) {
  add_up(outer, weights, y, T, H, of_token);
}

template <bool ROUTED, int BLOCK_M, int BLOCK_N, int WARPS_M, int WARPS_N, int STAGES>
__global__ void __launch_bounds__(32 * WARPS_M * WARPS_N)
    inner_products(const Bf16* x, const Bf16* gate_up, const int* counts, const int* lists, Bf16* inner, int H, int I,
                   int experts, int T, int of_token) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  constexpr int kColumns = BLOCK_N / 2;  // of inner
  const Groups<ROUTED> groups{counts, lists, experts, T, of_token};
  const int across = (I + kColumns - 1) / kColumns, first_column = blockIdx.x % across * kColumns;
  const auto tile = groups.find(blockIdx.x / across, BLOCK_M);
  if (!tile.is_there()) return;
  const Bf16* const weights = gate_up + 2ll * tile.expert * I * H;
  MmaRows<BLOCK_M, BLOCK_N, WARPS_M, WARPS_N, STAGES> sums;
  sums.multiply(
      reinterpret_cast<Bf16*>(shared_memory), H,
      [&](int row) -> const Bf16* {
        if (tile.first + row >= tile.rows) return nullptr;
        return x + static_cast<long long>(groups.pair(tile, tile.first + row) / of_token) * H;
      },
      [&](int at) -> const Bf16* {
        const int column = first_column + at / 16 * 8 + at % 8;
        return column < I ? weights + (static_cast<long long>(at / 8 % 2) * I + column) * H : nullptr;
      });
#pragma unroll
  for (int m = 0; m < sums.kOfM; ++m)
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int row = tile.first + sums.row_of(m, h);
      if (row >= tile.rows) continue;
      Bf16* const to = inner + static_cast<long long>(tile.begin + row) * I;
#pragma unroll
      for (int n = 0; n < sums.kOfN; n += 2) {
        const int column = first_column + sums.column_of(n) / 16 * 8 + sums.column_of(n) % 8;
        if (column >= I) continue;  // I is even
        float value[2];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const float gate = sums.sum[m][n][2 * h + i], up = sums.sum[m][n + 1][2 * h + i];
          value[i] = silu(gate) * up;
        }
        *reinterpret_cast<unsigned*>(to + column) = harness::pack<Bf16>(value[0], value[1]);
      }
    }
}

template <bool ROUTED, int BLOCK_M, int BLOCK_N, int WARPS_M, int WARPS_N, int STAGES>
__global__ void __launch_bounds__(32 * WARPS_M * WARPS_N)
    outer_products(const Bf16* inner, const Bf16* down, const int* counts, const int* lists, Bf16* outer, int H, int I,
                   int experts, int T, int of_token) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  const Groups<ROUTED> groups{counts, lists, experts, T, of_token};
  const int across = (H + BLOCK_N - 1) / BLOCK_N, first_column = blockIdx.x % across * BLOCK_N;
  const auto tile = groups.find(blockIdx.x / across, BLOCK_M);
  if (!tile.is_there()) return;
  const Bf16* const rows = inner + static_cast<long long>(tile.begin + tile.first) * I;
  const Bf16* const weights = down + (static_cast<long long>(tile.expert) * H + first_column) * I;
  MmaRows<BLOCK_M, BLOCK_N, WARPS_M, WARPS_N, STAGES> sums;
  sums.multiply(
      reinterpret_cast<Bf16*>(shared_memory), I,
      [&](int row) { return tile.first + row < tile.rows ? rows + static_cast<long long>(row) * I : nullptr; },
      [&](int at) { return first_column + at < H ? weights + static_cast<long long>(at) * I : nullptr; });
#pragma unroll
  for (int m = 0; m < sums.kOfM; ++m)
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int row = tile.first + sums.row_of(m, h);
      if (row >= tile.rows) continue;
      Bf16* const to = outer + static_cast<long long>(groups.pair(tile, row)) * H;
#pragma unroll
      for (int n = 0; n < sums.kOfN; ++n) {
        const int column = first_column + sums.column_of(n);
        if (column < H)
          *reinterpret_cast<unsigned*>(to + column) =
              harness::pack<Bf16>(sums.sum[m][n][2 * h], sums.sum[m][n][2 * h + 1]);
      }
    }
}
