#pragma once

// Which rows of which expert a tile has: the list of work of the grouped products, made by whoever needs it.
//
// Rows are those of all experts, one expert behind the other. ROUTED: counts[e] rows of expert e, whose pairs stand in
// lists[e * T] and on (routing.cuh). Else the rows are sorted tokens and `counts` are offsets.
template <bool ROUTED>
struct Groups {
  const int *counts, *lists;
  int experts, T, of_token;

  struct Tile {
    int expert, first, rows, begin;  // first row of the tile in the expert's; rows of the expert; its first row of all

    __device__ bool is_there() const { return expert >= 0; }
  };

  __device__ int rows_of(int expert) const {
    if constexpr (ROUTED) return counts[expert];
    else return counts[expert + 1] - counts[expert];
  }

  /// Tile number `n` of `height` rows, of those of all experts; by all lanes of a warp. Each lane counts an expert's
  /// rows and tiles, 32 experts at a time.
  __device__ Tile find(int n, int height) const {
    const int lane = threadIdx.x % 32;
    int begin = 0;
    for (int first = 0; first < experts; first += 32) {
      const int rows = first + lane < experts ? rows_of(first + lane) : 0, tiles = (rows + height - 1) / height;
      int rows_up_to = rows, tiles_up_to = tiles;  // of this lane's expert and those before it
#pragma unroll
      for (int step = 1; step < 32; step *= 2) {
        const int more_rows = __shfl_up_sync(0xffffffffu, rows_up_to, step);
        const int more_tiles = __shfl_up_sync(0xffffffffu, tiles_up_to, step);
        if (lane >= step) rows_up_to += more_rows, tiles_up_to += more_tiles;
      }
      const int all_tiles = __shfl_sync(0xffffffffu, tiles_up_to, 31);
      if (n < all_tiles) {
        const int its = __ffs(__ballot_sync(0xffffffffu, tiles_up_to > n)) - 1;
        const int before = __shfl_sync(0xffffffffu, tiles_up_to - tiles, its);
        return {first + its, (n - before) * height, __shfl_sync(0xffffffffu, rows, its),
                begin + __shfl_sync(0xffffffffu, rows_up_to - rows, its)};
      }
      n -= all_tiles;
      begin += __shfl_sync(0xffffffffu, rows_up_to, 31);
    }
    return {-1, 0, 0, 0};
  }

  /// The pair that row `row` of an expert is.
  __device__ int pair(const Tile& tile, int row) const {
    if constexpr (ROUTED) return lists[static_cast<long long>(tile.expert) * T + row];
    else return tile.begin + row;
  }
};
