#pragma once
#include <harness/load_now.cuh>
#include <harness/packed_tile.cuh>

namespace harness {

// A warp's tile of 16 keys (see packed_tile.cuh) whose operands are read 16 bytes a lane and load, from wherever they
// are:
//   K as B operand: a lane has the columns 8 pair ... 8 pair + 7 of every 32 of its keys `group` and `group` + 8.
//     That mma.cuh speaks of columns 2 pair, 2 pair + 1 matters to nobody, because Q is loaded alike.
//   V as A operand: a lane has the columns 8 group ... 8 group + 7 of every 64 of four keys, and pairs two keys of one
//     column by byte permutes.
template <class T, int D, int HALVES>
struct ChunkedTile : PackedTile<T, D, HALVES> {
  using Base = PackedTile<T, D, HALVES>;
  using Words = Vec<unsigned, 4>;
  using Base::group;
  using Base::pair;
  static constexpr int kKeys = 16;
  static constexpr int kKeyLoads = (D + 31) / 32, kValueLoads = (D + 63) / 64;
  using Keys = Words[2][kKeyLoads];      // of keys group, group + 8
  using Values = Words[4][kValueLoads];  // of keys 2 pair, 2 pair + 1, 2 pair + 8, 2 pair + 9

  /// Rows from `valid` on become 0.
  __device__ void load_queries(const T* q, int valid) {
#pragma unroll
    for (int h = 0; h < HALVES; ++h)
#pragma unroll
      for (int j = 0; j < kKeyLoads; ++j) {
        Words w = {};
        if (8 * h + group < valid && has_key_column(j)) w = load_now(q + (8 * h + group) * D + 32 * j + 8 * pair);
#pragma unroll
        for (int i = 0; i < 4; ++i) this->query[h][2 * j + i / 2][i % 2] = w.at[i];
      }
  }

  /// Column of out[h][n][0] (see combine); that of [2] is the next one.
  __device__ int column(int n) const {
    return n / 4 * 64 + group * 8 + n % 4 * 2;
  }

  /// Where the lane's chunks begin: of K in row `key_row(n)` of a tile, of V in row `value_row(r)`.
  __device__ int key_row(int n) const {
    return 8 * n + group;
  }
  __device__ int key_column(int j) const {
    return 32 * j + 8 * pair;
  }
  __device__ int value_row(int r) const {
    return 2 * pair + r % 2 + r / 2 * 8;
  }
  __device__ int value_column(int j) const {
    return 64 * j + 8 * group;
  }
  /// Whether there are such columns. Where D is no multiple of 32 or 64, the last chunks of some lanes are zeros.
  __device__ bool has_key_column(int j) const {
    return D % 32 == 0 || key_column(j) < D;
  }
  __device__ bool has_value_column(int j) const {
    return D % 64 == 0 || value_column(j) < D;
  }

  /// Adds the products of 16 keys to their scores, 8 keys each.
  __device__ void multiply_chunks(float (&low)[4], float (&high)[4], const Keys& keys) const {
#pragma unroll
    for (int step = 0; step < Base::kSteps; ++step) {
      const int j = step / 2, i = step % 2 * 2;
      this->multiply_keys(low, step, keys[0][j].at[i], keys[0][j].at[i + 1]);
      this->multiply_keys(high, step, keys[1][j].at[i], keys[1][j].at[i + 1]);
    }
  }

  /// Adds the rows of V of 16 keys, weighted by p.
  __device__ void add_chunks(const unsigned (&p)[HALVES][2], const Values& values) {
    constexpr unsigned kLower = 0x5410, kUpper = 0x7632;  // halves of both words
#pragma unroll
    for (int n = 0; n < Base::kOutTiles; ++n) {
      unsigned word[4];
#pragma unroll
      for (int r = 0; r < 4; ++r) word[r] = values[r][n / 4].at[n % 4];
      const unsigned a[4] = {__byte_perm(word[0], word[1], kLower), __byte_perm(word[0], word[1], kUpper),
                             __byte_perm(word[2], word[3], kLower), __byte_perm(word[2], word[3], kUpper)};
      this->multiply_values(n, a, p);
    }
  }
};

}  // namespace harness
