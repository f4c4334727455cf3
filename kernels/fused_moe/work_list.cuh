#pragma once

// The list of work of a grouped product: tiles of each expert's rows by tiles of columns. Each block makes it for
// itself in shared memory, from the counts that routing left, and blocks stay and take tile after tile.
//
// Among an expert's tiles those of one band of `group` tiles of rows come first, down before right: blocks that run at
// the same time then share both rows and weights in the L2.
struct WorkList {
  static constexpr int kMost = 513;  // experts
  int first_tile[kMost + 1];         // of an expert, of those of all
  int first_row[kMost + 1];          // where its rows lie
  int rows[kMost];

  /// By all threads of the block; a barrier follows. Rows lie one expert behind the other, or with a `stride` at expert
  /// * stride. With `offsets` the experts' rows begin there and nothing was counted.
  __device__ void make(const int* counts, bool offsets, int experts, int height, int across, int stride) {
    if (threadIdx.x >= 32) return;
    const int lane = threadIdx.x;
    int tiles_before = 0, rows_before = 0;
    for (int base = 0; base < experts; base += 32) {
      const int e = base + lane;
      const int own = e >= experts ? 0 : offsets ? counts[e + 1] - counts[e] : counts[e];
      int tiles_up_to = (own + height - 1) / height * across, rows_up_to = own;
      const int tiles = tiles_up_to;
#pragma unroll
      for (int step = 1; step < 32; step *= 2) {
        const int more_tiles = __shfl_up_sync(0xffffffffu, tiles_up_to, step);
        const int more_rows = __shfl_up_sync(0xffffffffu, rows_up_to, step);
        if (lane >= step) tiles_up_to += more_tiles, rows_up_to += more_rows;
      }
      if (e < experts) {
        first_tile[e] = tiles_before + tiles_up_to - tiles;
        first_row[e] = stride > 0 ? e * stride : rows_before + rows_up_to - own;
        rows[e] = own;
      }
      tiles_before += __shfl_sync(0xffffffffu, tiles_up_to, 31);
      rows_before += __shfl_sync(0xffffffffu, rows_up_to, 31);
    }
    if (lane == 0) first_tile[experts] = tiles_before;
  }
};

/// One reader's way through the list; numbers of tiles only grow.
struct WorkCursor {
  int expert = 0;
  int row = 0, column = 0;  // of the tile, in tiles: of the expert's rows, of columns

  __device__ void go_to(const WorkList& list, int n, int height, int across, int group) {
    while (list.first_tile[expert + 1] <= n) ++expert;
    const int within = n - list.first_tile[expert], tall = (list.rows[expert] + height - 1) / height;
    const int band = within / (group * across), of_band = within - band * group * across;
    const int high = min(group, tall - band * group);  // the last band may be lower
    row = band * group + of_band % high;
    column = of_band / high;
  }
};
