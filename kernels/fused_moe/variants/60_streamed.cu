#include <harness/mbarrier.cuh>
#include <harness/pack.cuh>
#include <harness/pdl.cuh>
#include <harness/prefetch.cuh>
#include <harness/tma.cuh>
#include <harness/warp.cuh>
#include <harness/wgmma_narrow.cuh>

#include "routing.cuh"
#include "silu.cuh"
#include "work_list.cuh"

// Idea (playbook 106, 116): with a few tokens for each expert the time is that of reading weights, and tensor cores
// must not be the obstacle. wgmma has 64 rows at least but as few as 8 columns; so the factors change places: 64 rows
// of weights are multiplied by TOKENS tokens, and little is padded. One warp keeps a ring of weights on their way to
// each multiprocessor by TMA, across the borders of tiles and experts, so the memory is asked all the time.
//
// Routing copies the tokens as well: an expert has room for all of them, so their place follows from the atomic that
// counts them, and one launch does for both. Rows behind an expert's last are whatever lies there: they are multiplied,
// each for itself, and not stored.
//
// Gate and up of the same columns are two products of a warpgroup, so a lane has both values of an element. Sums are
// those of the transposed output; lanes exchange values so that each stores four columns of a token.
//
// When a block's tiles of the first product have all been asked for, its warp asks the L2 for what the same block of
// the next launch begins with.
//
// Cost: room for experts x tokens rows.
// Stops: at the memory's rate, with launches and the beginning of each around it.

using Bf16 = __nv_bfloat16;

/// A warp a token: chooses its experts, and copies it to the next place of each.
__global__ void choose(const float* logits, const Bf16* x, int* counts, int* lists, float* weights, Bf16* rows, int T,
                       int H, int E, int K, int of_token) {
  const int token = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  harness::grid_launch_dependents();
  if (token >= T) return;
  const Choice choice(logits + static_cast<long long>(token) * E, E, K);
  long long place = 0;
  if (lane < of_token) {
    const int expert = lane < K ? choice.expert : E, pair = token * of_token + lane;
    place = static_cast<long long>(expert) * T + (lane < K ? atomicAdd(counts + expert, 1) : token);
    lists[place] = pair;
    weights[pair] = lane < K ? choice.weight : 1.0f;
    if (lane == K && token == 0) counts[E] = T;
  }
  const Bf16* const from = x + static_cast<long long>(token) * H;
  for (int first = 0; first < H; first += 256) {
    const int i = first + 8 * lane;
    harness::Vec<Bf16, 8> own{};
    if (i < H) own = harness::load<8>(from + i);
    for (int k = 0; k < of_token; ++k) {
      const long long to = __shfl_sync(0xffffffffu, place, k);
      if (i < H) harness::store(rows + to * H + i, own);
    }
  }
}

__global__ void weighted_sum(const Bf16* outer, const float* weights, Bf16* y, int T, int H, int of_token) {
  harness::grid_dependency_wait();
  add_up(outer, weights, y, T, H, of_token);
}

template <bool ROUTED, bool INNER, int WARPGROUPS, int TOKENS, int STAGES>
__global__ void __launch_bounds__(128 * WARPGROUPS + 32)
    streamed_product(const __grid_constant__ harness::TensorMap row_map,
                     const __grid_constant__ harness::TensorMap weight_map, const int* counts, const int* lists,
                     const Bf16* next, Bf16* to, int columns, int depth, int experts, int T) {
  constexpr int kDeep = 64, kColumns = 64 * WARPGROUPS, kParts = INNER ? 2 : 1, kOfWeights = kColumns * kDeep;
  constexpr int kStage = kParts * kOfWeights + TOKENS * kDeep, kAllRows = 1 << 12;  // a band has all rows of an expert
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  __shared__ harness::Mbarrier full[STAGES], empty[STAGES];
  __shared__ WorkList list;
  Bf16* const stages = reinterpret_cast<Bf16*>(shared_memory);
  const int across = (columns + kColumns - 1) / kColumns, slices = (depth + kDeep - 1) / kDeep;
  const int warp = harness::uniform(threadIdx.x / 32), lane = threadIdx.x % 32;

  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      harness::mbarrier_init(&full[s], 1);
      harness::mbarrier_init(&empty[s], 4 * WARPGROUPS);
    }
    harness::mbarrier_init_fence();
  }
  harness::grid_dependency_wait();
  harness::grid_launch_dependents();
  list.make(counts, !ROUTED, experts, TOKENS, across, ROUTED ? T : 0);
  __syncthreads();
  const int tiles = list.first_tile[experts];
  WorkCursor at;

  if (warp == 4 * WARPGROUPS) {
    int stage = 0, parity = 1;
    for (int n = blockIdx.x; lane == 0 && n < tiles; n += gridDim.x) {
      at.go_to(list, n, TOKENS, across, kAllRows);
      const int row = at.row * TOKENS + (ROUTED ? 0 : list.first_row[at.expert]), column = at.column * kColumns;
      for (int slice = 0; slice < slices; ++slice) {
        harness::mbarrier_wait(&empty[stage], parity);
        harness::mbarrier_arrive_expect(&full[stage], 2 * kStage);
        Bf16* const place = stages + stage * kStage;
#pragma unroll
        for (int part = 0; part < kParts; ++part)
          harness::tma_load(place + part * kOfWeights, weight_map, &full[stage], slice * kDeep, part * columns + column,
                            at.expert);
        harness::tma_load(place + kParts * kOfWeights, row_map, &full[stage], slice * kDeep, row,
                          ROUTED ? at.expert : 0);
        if (++stage == STAGES) stage = 0, parity ^= 1;
      }
    }
    if constexpr (INNER) {  // what this block of the next launch begins with
      const int next_across = (depth + kColumns - 1) / kColumns, block = blockIdx.x;
      int expert = 0;
      while (expert < experts && list.first_tile[expert + 1] / across * next_across <= block) ++expert;
      if (expert == experts) return;
      const int tall = (list.rows[expert] + TOKENS - 1) / TOKENS;
      const int first = (block - list.first_tile[expert] / across * next_across) / tall * kColumns;
      for (int row = first + lane; row < min(depth, first + kColumns); row += 32)
        harness::prefetch_row(next + (static_cast<long long>(expert) * depth + row) * columns, 2 * columns);
    }
    return;
  }

  float sum[kParts][TOKENS / 2];
  int stage = 0, parity = 0, before = 0;
  for (int n = blockIdx.x; n < tiles; n += gridDim.x) {
    for (int slice = 0; slice < slices; ++slice) {
      harness::mbarrier_wait(&full[stage], parity);
      const Bf16* const place = stages + stage * kStage;
      const unsigned long long of_weights = harness::wgmma_descriptor(place + warp / 4 * 64 * kDeep);
      const unsigned long long of_rows = harness::wgmma_descriptor(place + kParts * kOfWeights);
      harness::wgmma_fence();
#pragma unroll
      for (int step = 0; step < 4; ++step)
#pragma unroll
        for (int part = 0; part < kParts; ++part)
          harness::wgmma<Bf16, TOKENS>(sum[part], harness::wgmma_advance(of_weights, part * 2 * kOfWeights + step * 32),
                                       harness::wgmma_advance(of_rows, step * 32), step > 0 || slice > 0);
      harness::wgmma_commit();
      if (slice > 0) {
        harness::wgmma_wait<1>();
        if (lane == 0) harness::mbarrier_arrive(&empty[before]);
      }
      before = stage;
      if (++stage == STAGES) stage = 0, parity ^= 1;
    }
    at.go_to(list, n, TOKENS, across, kAllRows);
    harness::wgmma_wait<0>();
    if (lane == 0) harness::mbarrier_arrive(&empty[before]);

    // A lane has of each 8 tokens two neighbours in two columns, 8 apart. It exchanges one of them with the lane of the
    // next column, then one pair of columns with the lane two columns on: so it stores four columns of one token.
    const bool odd = lane & 4, upper = lane & 8;
#pragma unroll
    for (int j = 0; j < TOKENS / 8; ++j) {
      unsigned pair[2];
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        float value[2];
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const float first = sum[0][4 * j + 2 * h + e];
          value[e] = INNER ? silu(first) * sum[kParts - 1][4 * j + 2 * h + e] : first;
        }
        const float other = __shfl_xor_sync(0xffffffffu, odd ? value[0] : value[1], 4);
        pair[h] = odd ? harness::pack<Bf16>(other, value[1]) : harness::pack<Bf16>(value[0], other);
      }
      const unsigned other = __shfl_xor_sync(0xffffffffu, upper ? pair[0] : pair[1], 8);
      const int row = at.row * TOKENS + 8 * j + 2 * (lane % 4) + odd;
      const int column = at.column * kColumns + 16 * warp + (upper ? 8 : 0) + lane / 16 * 4;
      if (row >= list.rows[at.expert] || column >= columns) continue;
      long long place = list.first_row[at.expert] + row;
      if (ROUTED && !INNER) place = lists[place];
      *reinterpret_cast<uint2*>(to + place * columns + column) = upper ? uint2{other, pair[1]} : uint2{pair[0], other};
    }
  }
}
