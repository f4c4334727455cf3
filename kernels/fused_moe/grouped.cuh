#pragma once
#include <harness/mbarrier.cuh>
#include <harness/pack.cuh>
#include <harness/quad.cuh>
#include <harness/tma.cuh>
#include <harness/warp.cuh>
#include <harness/warpgroup.cuh>
#include <harness/wgmma.cuh>

#include "silu.cuh"
#include "work_list.cuh"

// What a block of a grouped product has: a ring of slices, 64 of K deep, of rows of an expert and of its weights, and
// warpgroups that multiply them by wgmma.
//
// INNER: SwiGLU behind the first product. A tile is then BLOCK_N / 2 columns of gate, and behind them in shared memory
// the same columns of up. So one product computes both, and a lane has both values of a column, BLOCK_N / 4
// accumulators apart.
template <bool INNER, int WARPGROUPS, int ROWS, int BLOCK_N, int STAGES>
struct Grouped {
  using T = __nv_bfloat16;
  static constexpr int kDeep = 64, kBlockM = 64 * WARPGROUPS * ROWS, kHalf = BLOCK_N / 2, kOfRows = kBlockM * kDeep;
  static constexpr int kStage = kOfRows + BLOCK_N * kDeep;  // elements
  static constexpr int kColumns = INNER ? kHalf : BLOCK_N;  // of the output

  struct Ring {
    harness::Mbarrier full[STAGES], empty[STAGES];

    /// By one thread. `arrivals` on `full` of those who fill a stage; on `empty` arrive the warps that compute.
    __device__ void init(int arrivals) {
      for (int s = 0; s < STAGES; ++s) {
        harness::mbarrier_init(&full[s], arrivals);
        harness::mbarrier_init(&empty[s], 4 * WARPGROUPS);
      }
      harness::mbarrier_init_fence();
    }
  };
  struct Place {  // in the ring; a stage's n-th use has parity n & 1
    int stage = 0, parity = 0;
    __device__ void advance() {
      if (++stage == STAGES) stage = 0, parity ^= 1;
    }
  };

  /// One thread asks for a slice of an expert's weights.
  __device__ static void load_weights(T* stage, const harness::TensorMap& map, harness::Mbarrier* full, int slice,
                                      int column, int columns, int expert) {
    T* const to = stage + kOfRows;
    harness::tma_load(to, map, full, slice * kDeep, column, expert);
    harness::tma_load(to + kHalf * kDeep, map, full, slice * kDeep, (INNER ? columns : kHalf) + column, expert);
  }

  /// The warpgroups that compute: all tiles of the block. A tile's last rows may be another expert's: they are
  /// multiplied and not stored. `place_of(expert, row)` says which row of `to` a row of an expert is.
  ///
  /// The first warpgroup begins AHEAD slices before the others. It then stays ahead, and stores while they multiply.
  template <int AHEAD, class PlaceOf>
  __device__ static void compute(const T* stages, Ring& ring, const WorkList& list, T* to, int columns, int depth,
                                 int experts, int group, PlaceOf place_of) {
    const int warpgroup = harness::uniform(threadIdx.x / 128 - 1), own_row = warpgroup * ROWS * 64;
    const int across = (columns + kColumns - 1) / kColumns, slices = (depth + kDeep - 1) / kDeep;
    const int lane = threadIdx.x % 32, tiles = list.first_tile[experts];
    float sum[ROWS][BLOCK_N / 2];
    WorkCursor at;
    Place place;
    int before = 0;
    constexpr bool kApart = AHEAD > 0 && WARPGROUPS > 1;
    if (kApart && warpgroup > 0 && blockIdx.x < tiles) harness::named_barrier_sync<1>(128 * WARPGROUPS);
    for (int n = blockIdx.x; n < tiles; n += gridDim.x) {
      at.go_to(list, n, kBlockM, across, group);
      if (at.row * kBlockM + own_row >= list.rows[at.expert]) {
        // An expert's last tile has no rows for this warpgroup: the others have the tensor cores for themselves.
        for (int slice = 0; slice < slices; ++slice, place.advance()) {
          harness::mbarrier_wait(&ring.full[place.stage], place.parity);
          if (lane == 0) harness::mbarrier_arrive(&ring.empty[place.stage]);
        }
        continue;
      }
      for (int slice = 0; slice < slices; ++slice) {
        harness::mbarrier_wait(&ring.full[place.stage], place.parity);
        const T* const stage = stages + place.stage * kStage;
        const unsigned long long of_rows = harness::wgmma_descriptor(stage + own_row * kDeep);
        const unsigned long long of_weights = harness::wgmma_descriptor(stage + kOfRows);
        harness::wgmma_fence();
#pragma unroll
        for (int step = 0; step < 4; ++step)
#pragma unroll
          for (int r = 0; r < ROWS; ++r)
            harness::wgmma<T, BLOCK_N>(sum[r], harness::wgmma_advance(of_rows, step * 32 + r * 64 * 128),
                                       harness::wgmma_advance(of_weights, step * 32), step > 0 || slice > 0);
        harness::wgmma_commit();
        if (kApart && warpgroup == 0 && n == blockIdx.x && slice == min(AHEAD, slices) - 1)
          harness::named_barrier_arrive<1>(128 * WARPGROUPS);
        if (slice > 0) {  // the slice before is given back when its products are done, and this one's have been started
          harness::wgmma_wait<1>();
          if (lane == 0) harness::mbarrier_arrive(&ring.empty[before]);
        }
        before = place.stage;
        place.advance();
      }
      harness::wgmma_wait<0>();
      if (lane == 0) harness::mbarrier_arrive(&ring.empty[before]);
#pragma unroll
      for (int r = 0; r < ROWS; ++r)
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          const int row = at.row * kBlockM + own_row + 64 * r + 16 * (threadIdx.x / 32 % 4) + lane / 4 + 8 * h;
          const bool inside = row < list.rows[at.expert];
          const long long to_row = inside ? place_of(at.expert, row) : 0;
          store_row(sum[r], h, to + to_row * columns, at.column * kColumns, columns, inside);
        }
    }
  }

 private:
  /// A lane stores 16 bytes: the four lanes that share a row exchange what they hold. All lanes take part.
  __device__ static void store_row(const float (&sum)[BLOCK_N / 2], int h, T* row, int first_column, int columns,
                                   bool inside) {
    const int pair = threadIdx.x % 4;
#pragma unroll
    for (int v = 0; v < kColumns / 32; ++v) {
      unsigned word[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float* const first = &sum[16 * v + 4 * i + 2 * h];
        if constexpr (INNER) {
          const float* const second = first + kHalf / 2;
          word[i] = harness::pack<T>(silu(first[0]) * second[0], silu(first[1]) * second[1]);
        } else {
          word[i] = harness::pack<T>(first[0], first[1]);
        }
      }
      harness::transpose_quad(word);
      const int column = first_column + 32 * v + 8 * pair;
      if (inside && column < columns) *reinterpret_cast<uint4*>(row + column) = {word[0], word[1], word[2], word[3]};
    }
  }
};
