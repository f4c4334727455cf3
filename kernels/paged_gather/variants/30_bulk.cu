#include <harness/convert.cuh>
#include <harness/mbarrier.cuh>
#include <harness/tma.cuh>

// Idea (playbook 105): no thread needs to see a byte that is only moved. A page lies in one piece on both sides, so one
// lane asks the copy engine to bring it to shared memory, and when it is there, to take it to its place. Each warp has
// RING pages under way and nothing but its own barriers; its pages follow each other, so one lane's table entries are
// read 32 at a time and passed on by shuffles.
// Cost: RING pages of shared memory a warp; sm_90. Pages and rows are multiples of 16 bytes.
// Stops: at the bandwidth of memory; with small pages at the rate of the copy engine.

/// ROWS and COLUMNS are those of a page. A warp moves every (grid * WARPS)th page of its sequence.
template <class T, int ROWS, int COLUMNS, int WARPS, int RING>
__global__ void __launch_bounds__(32 * WARPS)
    gather_bulk(const T* pool, const int* lengths, const int* block_table, T* out, int max_pages) {
  constexpr int kRow = COLUMNS * sizeof(T), kPage = ROWS * kRow;  // bytes
  extern __shared__ __align__(128) unsigned char shared_memory[];
  __shared__ harness::Mbarrier arrived[WARPS][RING];
  const int b = blockIdx.y, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int step = gridDim.x * WARPS, begin = blockIdx.x * WARPS + warp;
  const int end = lengths[b] * kRow;  // bytes of the sequence
  const int pages = (end + kPage - 1) / kPage;
  unsigned char* const ring = shared_memory + warp * RING * kPage;
  const unsigned char* const from = reinterpret_cast<const unsigned char*>(pool);
  unsigned char* const to = reinterpret_cast<unsigned char*>(out) + static_cast<long long>(b) * max_pages * kPage;
  const int* const table = block_table + static_cast<long long>(b) * max_pages;
  if (lane == 0) {
    for (int i = 0; i < RING; ++i) harness::mbarrier_init(&arrived[warp][i], 1);
    harness::mbarrier_init_fence();
  }
  __syncwarp();

  int entries = 0;  // of the lane's page among 32 that follow each other
  const auto ask = [&](int turn) {
    const int page = begin + turn * step;
    if (page >= pages) return;
    if (turn % 32 == 0) entries = table[min(begin + (turn + lane) * step, pages - 1)];
    const long long entry = __shfl_sync(0xffffffffu, entries, turn % 32);
    if (lane != 0) return;
    const unsigned bytes = min(kPage, end - page * kPage);
    harness::mbarrier_arrive_expect(&arrived[warp][turn % RING], bytes);
    harness::bulk_load(ring + turn % RING * kPage, from + entry * kPage, bytes, &arrived[warp][turn % RING]);
  };
  for (int turn = 0; turn < RING - 1; ++turn) ask(turn);
  for (int turn = 0; begin + turn * step < pages; ++turn) {
    const int page = begin + turn * step;
    harness::mbarrier_wait(&arrived[warp][turn % RING], turn / RING & 1);
    if (lane == 0) {
      harness::bulk_store(to + static_cast<long long>(page) * kPage, ring + turn % RING * kPage,
                          min(kPage, end - page * kPage));
      harness::bulk_commit();
      harness::bulk_wait_read<1>();  // the store before this one has left its place, which is filled again
    }
    __syncwarp();
    ask(turn + RING - 1);
  }
  if (lane == 0) harness::bulk_wait_read<0>();
}
