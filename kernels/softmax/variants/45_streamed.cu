#include <harness/convert.cuh>
#include <harness/mbarrier.cuh>
#include <harness/tma.cuh>
#include <harness/vec.cuh>

#include "row_parts.cuh"

// Idea (playbook 105): memory never waits for arithmetic. Blocks stay and take one row after the other; the copy engine
// brings the next STAGES rows (BLOCKS blocks of a cluster: their parts of them) into shared memory while a row is in
// registers. A thread reads its part of the row from shared memory, exponentiates it, and meets the others at one
// barrier, as in 40_cluster. That barrier also says that the stage has been read, so behind it one thread asks for the
// row that comes into it next: no second barrier, and stores go out while loads come in.
//
// By Little's law 132 multiprocessors need about 30 KB each under way to keep 4.8 TB/s busy over some 800 ns.
// 30_registers has that much only while a row begins. Here STAGES - 1 rows are always under way.
//
// Cost: STAGES rows of shared memory; 32 bytes of registers for 16 of a half's row. Rows are multiples of 16 bytes.
// Stops: at the bandwidth of memory for reading and writing in turns.
template <class T, int THREADS, int BLOCKS, int STAGES, int COLUMNS>
__global__ void __launch_bounds__(THREADS) softmax_streamed(const T* x, T* y, int rows) {
  constexpr int kVec = 16 / sizeof(T), kVectors = COLUMNS / kVec, kWarps = THREADS / 32;
  constexpr int kEach = (kVectors + BLOCKS - 1) / BLOCKS, kItems = (kEach + THREADS - 1) / THREADS;
  using Vector = harness::Vec<T, kVec>;
  extern __shared__ __align__(128) unsigned char shared_memory[];
  __shared__ harness::Mbarrier arrived[STAGES];
  __shared__ Meeting<kWarps, BLOCKS> meetings[2];  // one row's is read while the next one's is written
  const int rank = blockIdx.x % BLOCKS, first_row = blockIdx.x / BLOCKS, step = gridDim.x / BLOCKS;
  const int vectors = min(kEach, kVectors - rank * kEach);  // of this block
  const auto stage_of = [&](int n) { return shared_memory + n % STAGES * (kEach * 16); };
  const auto place_of = [&](int row) { return static_cast<long long>(row) * COLUMNS + rank * kEach * kVec; };
  const auto fetch = [&](int n) {  // by one thread: this block's n-th row
    const int row = first_row + n * step;
    if (row >= rows) return;
    harness::mbarrier_arrive_expect(&arrived[n % STAGES], 16 * vectors);
    harness::bulk_load(stage_of(n), x + place_of(row), 16 * vectors, &arrived[n % STAGES]);
  };

  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) harness::mbarrier_init(&arrived[s], 1);
    harness::mbarrier_init_fence();
    for (int n = 0; n < STAGES; ++n) fetch(n);
  }
  Meeting<kWarps, BLOCKS>::barrier();  // barriers are there, and all blocks of the cluster have begun

  for (int n = 0, row = first_row; row < rows; ++n, row += step) {
    Held<T, kItems> held;
    harness::mbarrier_wait(&arrived[n % STAGES], n / STAGES & 1);
    const T* const stage = reinterpret_cast<const T*>(stage_of(n));
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const int vector = i * THREADS + threadIdx.x;
      const bool there = vector < vectors;
      Vector loaded;
      if (there) loaded = harness::load<kVec>(stage + vector * kVec);
#pragma unroll
      for (int e = 0; e < kVec; ++e)
        held.value[i][e] = there ? harness::to_float(loaded.at[e]) * kLog2e : -harness::kInfinity;
    }
    const Part mine = held.exponentiate();
    meetings[n % 2].tell(of_warp(mine), rank);
    Meeting<kWarps, BLOCKS>::barrier();
    if (threadIdx.x == 0) fetch(n + STAGES);  // all have read the stage
    const Part all = meetings[n % 2].all();
    const float factor = correction(mine.largest, all.largest) / all.sum;
    T* const to = y + place_of(row);
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const int vector = i * THREADS + threadIdx.x;
      if (vector >= vectors) continue;
      Vector result;
#pragma unroll
      for (int e = 0; e < kVec; ++e) result.at[e] = harness::from_float<T>(held.value[i][e] * factor);
      harness::store(to + vector * kVec, result);
    }
  }
}
