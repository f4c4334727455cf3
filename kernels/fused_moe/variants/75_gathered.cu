#include <harness/cp_async.cuh>
#include <harness/pdl.cuh>

#include "grouped.cuh"
#include "routing.cuh"

// Idea: 70_grouped without the copy of the tokens' rows. Where an expert is narrow that copy is a tenth to a third of
// all time. Hopper's TMA gathers no rows, but cp.async has an address for each 16 bytes: the warpgroup that fills the
// ring copies rows by cp.async, eight lanes a row, and one of its threads asks TMA for the weights beside it.
//
// A copy of cp.async is a store of the thread that asked, so before wgmma may read a slice each thread waits for its
// copies, fences for the async proxy, and arrives. It does so one slice late, while the next is on its way.
//
// The second product's rows lie side by side: TMA brings them, as in 70_grouped.
//
// AHEAD: the first warpgroup begins so many slices before the others, so that they multiply while it stores. Where sums
// are short (an expert's width) storing is a tenth of all time.
//
// Cost: about fifty registers of each thread that fills; one stage of the ring is always waited for.
// Stops: as 70_grouped.

using Bf16 = __nv_bfloat16;

__global__ void choose(const float* logits, int* counts, int* lists, float* weights, int T, int E, int K,
                       int of_token) {
  route(logits, counts, lists, weights, T, E, K, of_token);
  harness::grid_launch_dependents();
}

__global__ void weighted_sum(const Bf16* outer, const float* weights, Bf16* y, int T, int H, int of_token) {
  harness::grid_dependency_wait();
  add_up(outer, weights, y, T, H, of_token);
}

template <int WARPGROUPS, int ROWS, int BLOCK_N, int STAGES, int AHEAD>
__global__ void __launch_bounds__(128 * (WARPGROUPS + 1), 1)
    inner_products(const Bf16* x, const __grid_constant__ harness::TensorMap weight_map, const int* counts,
                   const int* lists, Bf16* inner, int I, int H, int experts, int T, int of_token, int group) {
  using Block = Grouped<true, WARPGROUPS, ROWS, BLOCK_N, STAGES>;
  constexpr int kOfThread = Block::kBlockM / 16;  // rows of the tile of which a thread copies a sixteenth of a slice
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  __shared__ typename Block::Ring ring;
  __shared__ WorkList list;
  Bf16* const stages = reinterpret_cast<Bf16*>(shared_memory);
  const int across = (I + Block::kColumns - 1) / Block::kColumns;

  if (threadIdx.x == 0) ring.init(128 + 1);  // each thread that copies, and the one that asks TMA
  harness::grid_dependency_wait();
  harness::grid_launch_dependents();
  list.make(counts, false, experts, Block::kBlockM, across, 0);
  __syncthreads();

  if (threadIdx.x >= 128) {
    harness::take_registers<WARPGROUPS == 3 ? 144 : 224>();
    Block::template compute<AHEAD>(stages, ring, list, inner, I, H, experts, group,
                                   [&](int expert, int row) -> long long { return list.first_row[expert] + row; });
    return;
  }
  harness::give_registers<WARPGROUPS == 3 ? 64 : 56>();
  const int slices = (H + Block::kDeep - 1) / Block::kDeep, own = threadIdx.x / 8, chunk = threadIdx.x % 8;
  WorkCursor at;
  typename Block::Place place, copied;  // what is asked for; what has come, one slice behind
  bool any = false;
  const auto hand_over = [&] {  // the copies have come
    harness::async_proxy_fence();
    harness::mbarrier_arrive(&ring.full[copied.stage]);
    copied.advance();
  };
  for (int n = blockIdx.x; n < list.first_tile[experts]; n += gridDim.x) {
    at.go_to(list, n, Block::kBlockM, across, group);
    int token[kOfThread];
#pragma unroll
    for (int i = 0; i < kOfThread; ++i) {
      const int row = at.row * Block::kBlockM + own + 16 * i;
      token[i] = row < list.rows[at.expert] ? lists[static_cast<long long>(at.expert) * T + row] / of_token : -1;
    }
    for (int slice = 0; slice < slices; ++slice) {
      harness::Mbarrier* const full = &ring.full[place.stage];
      Bf16* const stage = stages + place.stage * Block::kStage;
      harness::mbarrier_wait(&ring.empty[place.stage], place.parity ^ 1);
      if (threadIdx.x == 0) {
        harness::mbarrier_arrive_expect(full, 2 * (Block::kStage - Block::kOfRows));
        Block::load_weights(stage, weight_map, full, slice, at.column * Block::kColumns, I, at.expert);
      }
      // Chunk c of row r lies at c ^ r % 8, as TMA swizzles by 128 bytes; r % 8 is the same for all rows of a thread.
      Bf16* const to = stage + 64 * own + 8 * (chunk ^ own % 8);
      const int element = slice * Block::kDeep + 8 * chunk;
#pragma unroll
      for (int i = 0; i < kOfThread; ++i) {
        const bool is_there = token[i] >= 0 && element < H;
        harness::cp_async<16>(to + 16 * 64 * i, x + (is_there ? static_cast<long long>(token[i]) * H + element : 0),
                              is_there ? 16 : 0);
      }
      harness::cp_async_commit();
      if (any) {
        harness::cp_async_wait<1>();
        hand_over();
      }
      any = true;
      place.advance();
    }
  }
  if (any) {
    harness::cp_async_wait<0>();
    hand_over();
  }
}

template <int WARPGROUPS, int ROWS, int BLOCK_N, int STAGES, int AHEAD>
__global__ void __launch_bounds__(128 * (WARPGROUPS + 1), 1)
    outer_products(const __grid_constant__ harness::TensorMap row_map,
                   const __grid_constant__ harness::TensorMap weight_map, const int* counts, const int* lists,
                   Bf16* outer, int H, int I, int experts, int T, int group) {
  using Block = Grouped<false, WARPGROUPS, ROWS, BLOCK_N, STAGES>;
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  __shared__ typename Block::Ring ring;
  __shared__ WorkList list;
  Bf16* const stages = reinterpret_cast<Bf16*>(shared_memory);
  const int across = (H + Block::kColumns - 1) / Block::kColumns;

  if (threadIdx.x == 0) ring.init(1);
  harness::grid_dependency_wait();
  harness::grid_launch_dependents();
  list.make(counts, false, experts, Block::kBlockM, across, 0);
  __syncthreads();

  if (threadIdx.x >= 128) {
    harness::take_registers<WARPGROUPS == 3 ? 160 : 240>();
    Block::template compute<AHEAD>(
        stages, ring, list, outer, H, I, experts, group,
        [&](int expert, int row) -> long long { return lists[static_cast<long long>(expert) * T + row]; });
    return;
  }
  harness::give_registers<WARPGROUPS == 3 ? 32 : 24>();
  if (threadIdx.x > 0) return;
  const int slices = (I + Block::kDeep - 1) / Block::kDeep;
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
      Block::load_weights(stage, weight_map, full, slice, at.column * Block::kColumns, H, at.expert);
      place.advance();
    }
  }
}
