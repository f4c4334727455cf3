#include <harness/convert.cuh>
#include <harness/vec.cuh>

#include "row_parts.cuh"

// Idea: 30_registers for rows that are longer than a block's registers. BLOCKS blocks of a cluster take a row, each a
// part of it, and run at the same time on multiprocessors beside each other. What they know of the row (a maximum and a
// sum for each warp) they write into each other's shared memory; behind one barrier of the cluster every warp adds up
// all of it. So x is read from memory once, however long the row, and few rows fill the device.
//
// Rows begin anywhere: a row of 50,257 halves is no multiple of 16 bytes. Vectors lie where memory has its multiples of
// 16, and only the first and the last of a row are taken element by element.
//
// Cost: 16 bytes of registers become 32 (halves are kept as fp32); a barrier of a cluster is some 200 ns, which other
// blocks of the multiprocessor must hide.
// Stops: at the bandwidth of memory, as long as one block loads while another waits or stores. Where registers leave
// room for one block only, 45_streamed loads ahead.
template <class T, int THREADS, int BLOCKS, int COLUMNS>
__global__ void __launch_bounds__(THREADS) softmax_cluster(const T* x, T* y) {
  constexpr int kVec = 16 / sizeof(T), kWarps = THREADS / 32;
  constexpr bool kAligned = COLUMNS % kVec == 0;
  constexpr int kMost = kAligned ? COLUMNS / kVec : (COLUMNS + 2 * kVec - 2) / kVec;  // vectors that a row touches
  constexpr int kEach = (kMost + BLOCKS - 1) / BLOCKS, kItems = (kEach + THREADS - 1) / THREADS;
  __shared__ Meeting<kWarps, BLOCKS> meeting;
  if constexpr (BLOCKS > 1) harness::cluster_arrive_relaxed();  // "this block has begun"; waited for below

  const long long first = blockIdx.x / BLOCKS * static_cast<long long>(COLUMNS);
  const int rank = blockIdx.x % BLOCKS;
  const int shift = kAligned ? 0 : static_cast<int>(first % kVec);  // of the first vector, these are the last row's
  const int vectors = kAligned ? kMost : (shift + COLUMNS + kVec - 1) / kVec;
  const auto vector_of = [&](int item) { return rank * kEach + item * THREADS + static_cast<int>(threadIdx.x); };
  const auto has = [&](int item) {
    return item * THREADS + static_cast<int>(threadIdx.x) < kEach && vector_of(item) < vectors;
  };
  const auto column_of = [&](int item) { return vector_of(item) * kVec - shift; };
  const auto is_whole = [&](int column) { return kAligned || (column >= 0 && column + kVec <= COLUMNS); };
  const auto is_inside = [](int column) { return kAligned || (column >= 0 && column < COLUMNS); };

  harness::Vec<T, kVec> loaded[kItems];
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    if (!has(i)) continue;
    const int column = column_of(i);
    if (is_whole(column)) {
      loaded[i] = harness::load<kVec>(x + first + column);
    } else {
      for (int e = 0; e < kVec; ++e)
        if (is_inside(column + e)) loaded[i].at[e] = x[first + column + e];
    }
  }
  Held<T, kItems> held;
#pragma unroll
  for (int i = 0; i < kItems; ++i)
#pragma unroll
    for (int e = 0; e < kVec; ++e)
      held.value[i][e] =
          has(i) && is_inside(column_of(i) + e) ? harness::to_float(loaded[i].at[e]) * kLog2e : -harness::kInfinity;
  const Part mine = held.exponentiate();
  const Part warps = of_warp(mine);
  if constexpr (BLOCKS > 1) harness::cluster_wait();  // nobody's shared memory is written before it runs
  meeting.tell(warps, rank);
  meeting.barrier();
  const Part row = meeting.all();

  const float factor = correction(mine.largest, row.largest) / row.sum;
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    if (!has(i)) continue;
    const int column = column_of(i);
    harness::Vec<T, kVec> result;
#pragma unroll
    for (int e = 0; e < kVec; ++e) result.at[e] = harness::from_float<T>(held.value[i][e] * factor);
    if (is_whole(column)) {
      harness::store(y + first + column, result);
    } else {
      for (int e = 0; e < kVec; ++e)
        if (is_inside(column + e)) y[first + column + e] = result.at[e];
    }
  }
}
