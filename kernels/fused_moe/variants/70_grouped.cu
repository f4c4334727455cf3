#include <harness/pdl.cuh>

#include "grouped.cuh"
#include "groups.cuh"
#include "routing.cuh"

// Idea (playbook 106, 107): the two grouped products at wgmma's rate. One warpgroup asks TMA for slices of rows and of
// an expert's weights, as far ahead as there are stages; the others multiply. As many blocks as there are
// multiprocessors stay, make the list of work from the counts that routing left, and take tile after tile: while the
// sums of one tile are stored, the slices of the next are on their way, also those of another expert.
//
// TMA copies boxes of neighbouring rows, so the tokens' rows are first copied to where their experts want them. SwiGLU
// is made of accumulators (grouped.cuh). Rows of the second product go to their pair's place, so the weighted sum reads
// them token by token, without atomics.
//
// Cost: a copy of K rows a token; the last tile of each expert is padded.
// Stops: with some hundred tokens an expert at the tensor cores' rate under the power cap; with few at padding.

using Bf16 = __nv_bfloat16;

__global__ void choose(const float* logits, int* counts, int* lists, float* weights, int T, int E, int K,
                       int of_token) {
  route(logits, counts, lists, weights, T, E, K, of_token);
  harness::grid_launch_dependents();
}

/// A warp a row: the token's, to where its expert wants it.
__global__ void permute(const Bf16* x, const int* counts, const int* lists, Bf16* rows, int T, int H, int experts,
                        int of_token) {
  harness::grid_dependency_wait();
  harness::grid_launch_dependents();
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= T * of_token) return;
  const Groups<true> groups{counts, lists, experts, T, of_token};
  const auto place = groups.find(row, 1);
  const Bf16* const from = x + static_cast<long long>(groups.pair(place, place.first) / of_token) * H;
  Bf16* const to = rows + static_cast<long long>(row) * H;
#pragma unroll 4
  for (int i = 8 * (threadIdx.x % 32); i < H; i += 256) harness::store(to + i, harness::load<8>(from + i));
}

__global__ void weighted_sum(const Bf16* outer, const float* weights, Bf16* y, int T, int H, int of_token) {
  harness::grid_dependency_wait();
  add_up(outer, weights, y, T, H, of_token);
}

template <bool ROUTED, bool INNER, int WARPGROUPS, int ROWS, int BLOCK_N, int STAGES>
__global__ void __launch_bounds__(128 * (WARPGROUPS + 1), 1)
    grouped_product(const __grid_constant__ harness::TensorMap row_map,
                    const __grid_constant__ harness::TensorMap weight_map, const int* counts, const int* lists,
                    Bf16* to, int columns, int depth, int experts, int T, int group) {
  using Block = Grouped<INNER, WARPGROUPS, ROWS, BLOCK_N, STAGES>;
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  __shared__ typename Block::Ring ring;
  __shared__ WorkList list;
  Bf16* const stages = reinterpret_cast<Bf16*>(shared_memory);
  const int across = (columns + Block::kColumns - 1) / Block::kColumns;

  if (threadIdx.x == 0) ring.init(1);
  harness::grid_dependency_wait();
  harness::grid_launch_dependents();
  list.make(counts, !ROUTED, experts, Block::kBlockM, across, 0);
  __syncthreads();

  if (threadIdx.x >= 128) {
    harness::take_registers<WARPGROUPS == 3 ? 160 : 240>();
    Block::template compute<0>(stages, ring, list, to, columns, depth, experts, group,
                               [&](int expert, int row) -> long long {
                                 if (ROUTED && !INNER) return lists[static_cast<long long>(expert) * T + row];
                                 return list.first_row[expert] + row;
                               });
    return;
  }
  harness::give_registers<WARPGROUPS == 3 ? 32 : 24>();
  if (threadIdx.x > 0) return;
  const int slices = (depth + Block::kDeep - 1) / Block::kDeep;
  WorkCursor at;
  typename Block::Place place;
  for (int n = blockIdx.x; n < list.first_tile[experts]; n += gridDim.x) {
    at.go_to(list, n, Block::kBlockM, across, group);
    const int row = list.first_row[at.expert] + at.row * Block::kBlockM;
    for (int slice = 0; slice < slices; ++slice) {
      harness::Mbarrier* const full = &ring.full[place.stage];
      Bf16* const stage = stages + place.stage * Block::kStage;
      harness::mbarrier_wait(&ring.empty[place.stage], place.parity ^ 1);
      harness::mbarrier_arrive_expect(full, 2 * Block::kStage);
      harness::tma_load(stage, row_map, full, slice * Block::kDeep, row);
      Block::load_weights(stage, weight_map, full, slice, at.column * Block::kColumns, columns, at.expert);
      place.advance();
    }
  }
}
