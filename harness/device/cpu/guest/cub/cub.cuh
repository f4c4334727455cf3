#pragma once
#include "harness_cpu/threads.h"

// CUB's collectives of a block and of a warp, as far as ordinary kernels use them: reductions, scans, loads, stores and
// sorting, of one value or of a few a thread. Results are those of CUB; a reduction's is given to every thread, of
// which CUB promises thread 0. Device-wide algorithms are calls of the host and are not here.
namespace cub {

struct Sum {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a + b;
  }
};
struct Max {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
struct Min {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};

template <class K, class V>
struct KeyValuePair {
  typedef K Key;
  typedef V Value;
  K key;
  V value;
  KeyValuePair() = default;
  KeyValuePair(const K& k, const V& v) : key(k), value(v) {}
};
/// Of equal values the lowest key wins.
struct ArgMax {
  template <class K, class V>
  KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
    return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class K, class V>
  KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

inline unsigned harness_cpu_linear() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1>
class BlockReduce {
 public:
  struct TempStorage {
    T values[X * Y * Z];
  };
  explicit BlockReduce(TempStorage& storage) : storage_(storage) {}

  /// Of the first `valid` threads.
  template <class Operation>
  T Reduce(T value, Operation operation, int valid = X * Y * Z) {
    storage_.values[harness_cpu_linear()] = value;
    __syncthreads();
    T total = storage_.values[0];
    for (int i = 1; i < valid; ++i) total = operation(total, storage_.values[i]);
    __syncthreads();
    return total;
  }
  template <int Items, class Operation>
  T Reduce(T (&values)[Items], Operation operation) {
    T own = values[0];
    for (int i = 1; i < Items; ++i) own = operation(own, values[i]);
    return Reduce(own, operation);
  }
  T Sum(T value) { return Reduce(value, cub::Sum()); }
  T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
  template <int Items>
  T Sum(T (&values)[Items]) {
    return Reduce(values, cub::Sum());
  }

 private:
  TempStorage& storage_;
};

template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1>
class BlockScan {
 public:
  struct TempStorage {
    T values[X * Y * Z];
  };
  explicit BlockScan(TempStorage& storage) : storage_(storage) {}

  template <class Operation>
  void InclusiveScan(T input, T& output, Operation operation, T& total) {
    const unsigned self = all_stored(input);
    T result = storage_.values[0], all = storage_.values[0];
    for (unsigned i = 1; i < X * Y * Z; ++i) {
      all = operation(all, storage_.values[i]);
      if (i <= self) result = all;
    }
    __syncthreads();
    output = result;
    total = all;
  }
  template <class Operation>
  void InclusiveScan(T input, T& output, Operation operation) {
    T total;
    InclusiveScan(input, output, operation, total);
  }
  template <class Operation>
  void ExclusiveScan(T input, T& output, T initial, Operation operation, T& total) {
    const unsigned self = all_stored(input);
    T result = initial, all = storage_.values[0];
    for (unsigned i = 0; i < self; ++i) result = operation(result, storage_.values[i]);
    for (unsigned i = 1; i < X * Y * Z; ++i) all = operation(all, storage_.values[i]);
    __syncthreads();
    output = result;
    total = all;
  }
  template <class Operation>
  void ExclusiveScan(T input, T& output, T initial, Operation operation) {
    T total;
    ExclusiveScan(input, output, initial, operation, total);
  }
  void InclusiveSum(T input, T& output) { InclusiveScan(input, output, cub::Sum()); }
  void InclusiveSum(T input, T& output, T& total) { InclusiveScan(input, output, cub::Sum(), total); }
  void ExclusiveSum(T input, T& output) { ExclusiveScan(input, output, T(), cub::Sum()); }
  void ExclusiveSum(T input, T& output, T& total) { ExclusiveScan(input, output, T(), cub::Sum(), total); }
  template <int Items, class Operation>
  void InclusiveScan(T (&input)[Items], T (&output)[Items], Operation operation, T& total) {
    T own = input[0];
    for (int i = 1; i < Items; ++i) own = operation(own, input[i]);
    T before;
    const bool first = all_before(own, before, operation, total);
    for (int i = 0; i < Items; ++i) output[i] = before = first && i == 0 ? input[0] : operation(before, input[i]);
  }
  template <int Items, class Operation>
  void InclusiveScan(T (&input)[Items], T (&output)[Items], Operation operation) {
    T total;
    InclusiveScan(input, output, operation, total);
  }
  template <int Items, class Operation>
  void ExclusiveScan(T (&input)[Items], T (&output)[Items], T initial, Operation operation, T& total) {
    T own = input[0];
    for (int i = 1; i < Items; ++i) own = operation(own, input[i]);
    T before;
    before = all_before(own, before, operation, total) ? initial : operation(initial, before);
    for (int i = 0; i < Items; ++i) {
      const T next = operation(before, input[i]);
      output[i] = before;
      before = next;
    }
  }
  template <int Items, class Operation>
  void ExclusiveScan(T (&input)[Items], T (&output)[Items], T initial, Operation operation) {
    T total;
    ExclusiveScan(input, output, initial, operation, total);
  }
  template <int Items>
  void InclusiveSum(T (&input)[Items], T (&output)[Items]) {
    InclusiveScan(input, output, cub::Sum());
  }
  template <int Items>
  void InclusiveSum(T (&input)[Items], T (&output)[Items], T& total) {
    InclusiveScan(input, output, cub::Sum(), total);
  }
  template <int Items>
  void ExclusiveSum(T (&input)[Items], T (&output)[Items]) {
    ExclusiveScan(input, output, T(), cub::Sum());
  }
  template <int Items>
  void ExclusiveSum(T (&input)[Items], T (&output)[Items], T& total) {
    ExclusiveScan(input, output, T(), cub::Sum(), total);
  }

 private:
  unsigned all_stored(const T& input) {
    const unsigned self = harness_cpu_linear();
    storage_.values[self] = input;
    __syncthreads();
    return self;
  }
  /// What the threads before this one have, together, and all. True: there are none.
  template <class Operation>
  bool all_before(const T& own, T& before, Operation operation, T& total) {
    const unsigned self = all_stored(own);
    total = storage_.values[0];
    for (unsigned i = 1; i < X * Y * Z; ++i) {
      if (i == self) before = total;
      total = operation(total, storage_.values[i]);
    }
    __syncthreads();
    return self == 0;
  }
  TempStorage& storage_;
};

template <class T, int Lanes = 32>
class WarpReduce {
 public:
  struct TempStorage {};
  explicit WarpReduce(TempStorage&) {}
  template <class Operation>
  T Reduce(T value, Operation operation) {
    for (int bits = Lanes / 2; bits > 0; bits /= 2)
      value = operation(value, __shfl_xor_sync(0xffffffffu, value, bits, Lanes));
    return value;
  }
  T Sum(T value) { return Reduce(value, cub::Sum()); }
};

template <class T, int Lanes = 32>
class WarpScan {
 public:
  struct TempStorage {};
  explicit WarpScan(TempStorage&) {}
  template <class Operation>
  void InclusiveScan(T input, T& output, Operation operation) {
    output = input;
    for (int delta = 1; delta < Lanes; delta *= 2) {
      const T other = __shfl_up_sync(0xffffffffu, output, delta, Lanes);
      if (static_cast<int>(harness_cpu_linear() % Lanes) >= delta) output = operation(other, output);
    }
  }
  void InclusiveSum(T input, T& output) { InclusiveScan(input, output, cub::Sum()); }
  void ExclusiveSum(T input, T& output) {
    InclusiveSum(input, output);
    output = output - input;
  }
};

}  // namespace cub

#include "cub/block/block_load.cuh"
#include "cub/block/block_radix_sort.cuh"
#include "cub/block/block_store.cuh"
