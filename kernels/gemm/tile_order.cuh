#pragma once

// In which order the tiles of d are taken: GROUP rows of tiles form a band, and in a band the tiles go down before they
// go right. Tiles that run at the same time then lie in a square, so that what they read of a and b is small enough for
// the L2 to hold: row by row, 132 tiles would read one row of a and all of b.
struct TileOrder {
  int tiles_m, tiles_n, group;

  __device__ TileOrder(int M, int N, int block_m, int block_n, int group)
      : tiles_m((M + block_m - 1) / block_m), tiles_n((N + block_n - 1) / block_n), group(group) {}

  __device__ int count() const { return tiles_m * tiles_n; }
  /// {row of tiles, column of tiles} of the n-th.
  __device__ int2 tile(int n) const {
    const int band = n / (group * tiles_n), within = n - band * group * tiles_n;
    const int rows = min(group, tiles_m - band * group);  // the last band may have fewer
    return {band * group + within % rows, within / rows};
  }
};
