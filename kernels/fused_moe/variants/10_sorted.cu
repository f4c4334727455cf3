#include "groups.cuh"
#include "routing.cuh"
#include "silu.cuh"

// Idea (playbook 101): tokens are given to their experts, so each expert has one matrix of rows and its weights serve a
// tile of ROWS of them. A thread adds up four rows by four columns, of gate and of up in the first product, so an
// element from shared memory serves four multiply-adds.
//
// This is what sorting alone brings: nothing here is new but who shares what. Blocks find their tile of rows by
// counting those of the experts before.
//
// Stops: at the rate of fp32 multiply-adds, a thirtieth of the tensor cores'; with few tokens at padding.

using Bf16 = __nv_bfloat16;

namespace {

constexpr int kColumns = 64, kDeep = 16, kAcross = 16;  // columns and depth of a tile; threads side by side

/// sum[part][i][j] += row y + ROWS / 4 * i of `left` times row x + 16 j of each part of `right`; both say where a row
/// of a factor begins, null where there is none.
template <int ROWS, int PARTS, class Left, class Right>
__device__ void multiply(float (&sum)[PARTS][4][4], int depth, Left left, Right right) {
  constexpr int kThreads = kAcross * ROWS / 4;
  __shared__ float rows[kDeep][ROWS + 1], weights[PARTS][kDeep][kColumns + 1];
  const int x = threadIdx.x % kAcross, y = threadIdx.x / kAcross;
  for (int k = 0; k < depth; k += kDeep) {
    for (int at = threadIdx.x; at < ROWS * kDeep; at += kThreads) {
      const Bf16* const from = left(at / kDeep);
      rows[at % kDeep][at / kDeep] = from && k + at % kDeep < depth ? harness::to_float(from[k + at % kDeep]) : 0.0f;
    }
#pragma unroll
    for (int part = 0; part < PARTS; ++part)
      for (int at = threadIdx.x; at < kColumns * kDeep; at += kThreads) {
        const Bf16* const from = right(part, at / kDeep);
        weights[part][at % kDeep][at / kDeep] =
            from && k + at % kDeep < depth ? harness::to_float(from[k + at % kDeep]) : 0.0f;
      }
    __syncthreads();
#pragma unroll
    for (int deep = 0; deep < kDeep; ++deep) {
      float own[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) own[i] = rows[deep][y + ROWS / 4 * i];
#pragma unroll
      for (int part = 0; part < PARTS; ++part)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          const float weight = weights[part][deep][x + kAcross * j];
#pragma unroll
          for (int i = 0; i < 4; ++i) sum[part][i][j] += own[i] * weight;
        }
    }
    __syncthreads();
  }
}

/// f(row of the tile, column of the tile, i, j) for what a thread has.
template <int ROWS, class F>
__device__ void for_elements(F f) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) f(threadIdx.x / kAcross + ROWS / 4 * i, threadIdx.x % kAcross + kAcross * j, i, j);
}

}  // namespace

__global__ void choose(const float* logits, int* counts, int* lists, float* weights, int T, int E, int K,
                       int of_token) {
  route(logits, counts, lists, weights, T, E, K, of_token);
}

__global__ void weighted_sum(const Bf16* outer, const float* weights, Bf16* y, int T, int H, int of_token) {
  add_up(outer, weights, y, T, H, of_token);
}

template <bool ROUTED, int ROWS>
__global__ void __launch_bounds__(kAcross* ROWS / 4)
    inner_products(const Bf16* x, const Bf16* gate_up, const int* counts, const int* lists, Bf16* inner, int H, int I,
                   int experts, int T, int of_token) {
  const Groups<ROUTED> groups{counts, lists, experts, T, of_token};
  const int across = (I + kColumns - 1) / kColumns, first_column = blockIdx.x % across * kColumns;
  const auto tile = groups.find(blockIdx.x / across, ROWS);
  if (!tile.is_there()) return;
  const Bf16* const weights = gate_up + 2ll * tile.expert * I * H;
  float sum[2][4][4] = {};
  multiply<ROWS>(
      sum, H,
      [&](int row) -> const Bf16* {
        if (tile.first + row >= tile.rows) return nullptr;
        return x + static_cast<long long>(groups.pair(tile, tile.first + row) / of_token) * H;
      },
      [&](int part, int column) -> const Bf16* {
        column += first_column;
        return column < I ? weights + (static_cast<long long>(part) * I + column) * H : nullptr;
      });
  for_elements<ROWS>([&](int row, int column, int i, int j) {
    row += tile.first, column += first_column;
    if (row >= tile.rows || column >= I) return;
    const float gate = sum[0][i][j];
    inner[static_cast<long long>(tile.begin + row) * I + column] = harness::from_float<Bf16>(silu(gate) * sum[1][i][j]);
  });
}

template <bool ROUTED, int ROWS>
__global__ void __launch_bounds__(kAcross* ROWS / 4)
    outer_products(const Bf16* inner, const Bf16* down, const int* counts, const int* lists, Bf16* outer, int H, int I,
                   int experts, int T, int of_token) {
  const Groups<ROUTED> groups{counts, lists, experts, T, of_token};
  const int across = (H + kColumns - 1) / kColumns, first_column = blockIdx.x % across * kColumns;
  const auto tile = groups.find(blockIdx.x / across, ROWS);
  if (!tile.is_there()) return;
  const Bf16* const own = inner + static_cast<long long>(tile.begin + tile.first) * I;
  const Bf16* const weights = down + (static_cast<long long>(tile.expert) * H + first_column) * I;
  float sum[1][4][4] = {};
  multiply<ROWS>(
      sum, I, [&](int row) { return tile.first + row < tile.rows ? own + static_cast<long long>(row) * I : nullptr; },
      [&](int, int column) {
        return first_column + column < H ? weights + static_cast<long long>(column) * I : nullptr;
      });
  for_elements<ROWS>([&](int row, int column, int i, int j) {
    row += tile.first, column += first_column;
    if (row < tile.rows && column < H)
      outer[static_cast<long long>(groups.pair(tile, row)) * H + column] = harness::from_float<Bf16>(sum[0][i][j]);
  });
}
