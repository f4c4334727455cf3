#pragma once
#include "cub/cub.cuh"

// Sorts the keys of a block, stably, and values with them. Here each thread counts for each of its keys how many belong
// before it; on a GPU digits are sorted one after another. The results are the same.
namespace cub {

struct NullType {};

template <class Key, int X, int Items, class Value = NullType, int RadixBits = 4, bool Memoize = true,
          BlockScanAlgorithm Inner = BLOCK_SCAN_WARP_SCANS, int Banks = 4, int Y = 1, int Z = 1>
class BlockRadixSort {
  static constexpr int kThreads = X * Y * Z, kKeys = kThreads * Items, kBits = static_cast<int>(8 * sizeof(Key));

 public:
  struct TempStorage {
    Key keys[kKeys];
    Value values[kKeys];
  };
  explicit BlockRadixSort(TempStorage& storage) : storage_(storage) {}

  void Sort(Key (&keys)[Items], int begin_bit = 0, int end_bit = kBits) {
    sort(keys, static_cast<Value*>(nullptr), begin_bit, end_bit, false, false);
  }
  void Sort(Key (&keys)[Items], Value (&values)[Items], int begin_bit = 0, int end_bit = kBits) {
    sort(keys, values, begin_bit, end_bit, false, false);
  }
  void SortDescending(Key (&keys)[Items], int begin_bit = 0, int end_bit = kBits) {
    sort(keys, static_cast<Value*>(nullptr), begin_bit, end_bit, true, false);
  }
  void SortDescending(Key (&keys)[Items], Value (&values)[Items], int begin_bit = 0, int end_bit = kBits) {
    sort(keys, values, begin_bit, end_bit, true, false);
  }
  void SortBlockedToStriped(Key (&keys)[Items], int begin_bit = 0, int end_bit = kBits) {
    sort(keys, static_cast<Value*>(nullptr), begin_bit, end_bit, false, true);
  }
  void SortBlockedToStriped(Key (&keys)[Items], Value (&values)[Items], int begin_bit = 0, int end_bit = kBits) {
    sort(keys, values, begin_bit, end_bit, false, true);
  }
  void SortDescendingBlockedToStriped(Key (&keys)[Items], int begin_bit = 0, int end_bit = kBits) {
    sort(keys, static_cast<Value*>(nullptr), begin_bit, end_bit, true, true);
  }
  void SortDescendingBlockedToStriped(Key (&keys)[Items], Value (&values)[Items], int begin_bit = 0,
                                      int end_bit = kBits) {
    sort(keys, values, begin_bit, end_bit, true, true);
  }

 private:
  /// The bits of a key that are looked at, as a number that is in its order: two's complements and floating-point
  /// numbers of less than zero lie below the others.
  static unsigned long long digits(const Key& key, int begin_bit, int end_bit) {
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &key, sizeof key);
    const unsigned long long top = 1ull << (kBits - 1);
    const bool negative = key < Key(0), whole = Key(1) / Key(2) == Key(0);
    if (key == Key(0) && !whole) bits = 0;  // both zeros are the same
    if (Key(-1) < Key(0)) bits = negative && !whole ? ~bits & (top | (top - 1)) : bits ^ top;
    bits >>= begin_bit;
    return end_bit - begin_bit >= 64 ? bits : bits & ((1ull << (end_bit - begin_bit)) - 1);
  }

  void sort(Key (&keys)[Items], Value* values, int begin_bit, int end_bit, bool descending, bool striped) {
    const int self = static_cast<int>(harness_cpu_linear());
    for (int i = 0; i < Items; ++i) storage_.keys[self * Items + i] = keys[i];
    __syncthreads();
    int rank[Items];
    for (int i = 0; i < Items; ++i) {
      const unsigned long long own = digits(keys[i], begin_bit, end_bit);
      rank[i] = 0;
      for (int other = 0; other < kKeys; ++other) {
        const unsigned long long it = digits(storage_.keys[other], begin_bit, end_bit);
        rank[i] += (descending ? it > own : it < own) || (it == own && other < self * Items + i);
      }
    }
    __syncthreads();
    for (int i = 0; i < Items; ++i) {
      storage_.keys[rank[i]] = keys[i];
      if (values) storage_.values[rank[i]] = values[i];
    }
    __syncthreads();
    for (int i = 0; i < Items; ++i) {
      const int place = striped ? i * kThreads + self : self * Items + i;
      keys[i] = storage_.keys[place];
      if (values) values[i] = storage_.values[place];
    }
    __syncthreads();
  }

  TempStorage& storage_;
};

}  // namespace cub
