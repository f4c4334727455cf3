#pragma once
#include "cub/cub.cuh"

// How the elements of a block's tile are given to its threads: blocked, each thread a few that lie side by side, or
// striped, where neighbours lie in neighbouring threads. The ways of loading differ in speed alone on a GPU.
namespace cub {

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};

template <class T, int X, int Items, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1>
class BlockLoad {
 public:
  struct TempStorage {};
  BlockLoad() = default;
  explicit BlockLoad(TempStorage&) {}

  template <class Iterator>
  void Load(Iterator source, T (&items)[Items]) {
    Load(source, items, X * Y * Z * Items);
  }
  /// Of the first `valid` elements of the tile; what lies behind is left as it was.
  template <class Iterator>
  void Load(Iterator source, T (&items)[Items], int valid) {
    for (int i = 0; i < Items; ++i)
      if (place(i) < valid) items[i] = source[place(i)];
  }
  template <class Iterator, class Default>
  void Load(Iterator source, T (&items)[Items], int valid, Default otherwise) {
    for (int i = 0; i < Items; ++i) items[i] = place(i) < valid ? static_cast<T>(source[place(i)]) : T(otherwise);
  }

 private:
  static int place(int item) {
    const int self = static_cast<int>(harness_cpu_linear());
    return Algorithm == BLOCK_LOAD_STRIPED ? item * X * Y * Z + self : self * Items + item;
  }
};

}  // namespace cub
