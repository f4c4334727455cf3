#pragma once
#include "cub/cub.cuh"

// The way back of block_load.cuh.
namespace cub {

enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

template <class T, int X, int Items, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1>
class BlockStore {
 public:
  struct TempStorage {};
  BlockStore() = default;
  explicit BlockStore(TempStorage&) {}

  template <class Iterator>
  void Store(Iterator target, T (&items)[Items]) {
    Store(target, items, X * Y * Z * Items);
  }
  template <class Iterator>
  void Store(Iterator target, T (&items)[Items], int valid) {
    const int self = static_cast<int>(harness_cpu_linear());
    for (int i = 0; i < Items; ++i) {
      const int place = Algorithm == BLOCK_STORE_STRIPED ? i * X * Y * Z + self : self * Items + i;
      if (place < valid) target[place] = items[i];
    }
  }
};

}  // namespace cub
