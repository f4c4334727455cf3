#pragma once
#include <harness/attention_specialized.cuh>

#include "sequence_tile.cuh"

// Tiles of packed rows that TMA brings.

/// One thread starts the copy of `rows` rows, from packed row `row` and head `head` on: panel after panel of 64
/// columns. The map's box says how many of them are heads of a row. Rows behind the tensor are 0.
template <int D>
__device__ inline void load_rows(void* tile, const harness::TensorMap& map, harness::Mbarrier* barrier, int rows,
                                 int row, int head) {
#pragma unroll
  for (int panel = 0; panel < (D + 63) / 64; ++panel)
    harness::tma_load(static_cast<char*>(tile) + panel * rows * 128, map, barrier, panel * 64, head, row);
}

/// A tile of queries of one sequence and key head, with the members that harness::Producer and harness::Consumer ask
/// for. Row r is query r / HEADS of the tile, and of HEADS neighbouring heads the r % HEADS-th.
template <bool CAPPED, int HEADS>
struct LoadedTile {
  SequenceTile work;
  int kv_head;
  Logits<CAPPED> logits;

  __device__ int rows() const { return work.queries * HEADS; }
  __device__ int first_seen(int row) const { return work.first_seen(row / HEADS); }
  __device__ int last_seen(int row) const { return work.last_seen(row / HEADS); }

  /// From which key on the 64 rows of a warpgroup see nothing; 0 where it has no row.
  __device__ int end_of(int warpgroup) const {
    return 64 * warpgroup < rows() ? last_seen(min(64 * warpgroup + 64, rows()) - 1) + 1 : 0;
  }
  __device__ int first_of_keys() const { return work.begin; }

  template <int D, int BLOCK_N>
  __device__ void load(void* to, const harness::TensorMap& map, harness::Mbarrier* barrier, int first_key) const {
    load_rows<D>(to, map, barrier, BLOCK_N, work.first_key + first_key, kv_head);
  }

  /// Scores of the keys from `first_key` on become bent, and -inf where a row does not see the key.
  template <class T, int D, int BLOCK_N>
  __device__ void shape(const harness::WgmmaRows<T, D, BLOCK_N>& rows, float (&score)[BLOCK_N / 2],
                        int first_key) const {
    if constexpr (CAPPED) {
#pragma unroll
      for (int i = 0; i < BLOCK_N / 2; ++i) score[i] = logits.bent(score[i]);
    }
    // Of this warp's 16 rows the first sees least at the end, the last least at the beginning.
    if (first_key + BLOCK_N - 1 <= last_seen(rows.first_row) && first_key >= first_seen(rows.first_row + 15)) return;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int row = rows.first_row + rows.group + 8 * h;
      rows.mask_row(score, h, first_key, first_seen(row), last_seen(row));
    }
  }
};
