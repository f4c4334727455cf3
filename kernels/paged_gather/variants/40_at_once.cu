#include <harness/convert.cuh>
#include <harness/equal_shares.cuh>
#include <harness/mbarrier.cuh>
#include <harness/tma.cuh>

// Idea: with 50 MB to move, a multiprocessor's share is some 200 KB each way, which its shared memory holds almost
// whole. So a block asks for all of its share at once and then only waits: for the lengths, for the table, for the
// pages. 30_bulk gives each sequence the same number of blocks, so those of long sequences end last, and a warp has as
// many pages under way as its ring has places. Here pages of all sequences are one line, cut into pieces of ROWS rows
// and into equal shares (equal_shares.cuh). A lane finds the page of one piece and asks for it: 32 dependent lookups of
// a warp are one trip to the table. Pieces leave in the order in which they were asked for.
//
// Cost: PIECES of a warp in shared memory; every block adds up the lengths before it begins. Rows are multiples of 16
// bytes. Stops: at the bandwidth of memory for reading and writing in turns.

/// BLOCK and COLUMNS are those of a page, of which a piece is a whole part.
template <class T, int BLOCK, int COLUMNS, int ROWS, int WARPS, int PIECES>
__global__ void __launch_bounds__(32 * WARPS)
    gather_at_once(const T* pool, const int* lengths, const int* block_table, T* out, int B, int max_pages) {
  constexpr int kPiece = ROWS * COLUMNS;  // elements
  static_assert(PIECES <= 32 && BLOCK % ROWS == 0, "a lane a piece, in one page");
  extern __shared__ __align__(128) unsigned char shared_memory[];
  __shared__ harness::Mbarrier arrived[WARPS][PIECES];
  __shared__ harness::EqualShares<256> line;  // of pieces
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  T* const place = reinterpret_cast<T*>(shared_memory) + (warp * PIECES + lane) * kPiece;  // of this lane's piece
  if (lane < PIECES) harness::mbarrier_init(&arrived[warp][lane], 1);
  harness::mbarrier_init_fence();
  line.lay_out(lengths, B, ROWS);
  const int shares = line.shares(gridDim.x);
  if (blockIdx.x >= shares) return;
  const int end = line.begin(blockIdx.x + 1, shares);

  int turn = 0;
  for (int first = line.begin(blockIdx.x, shares) + warp * PIECES; first < end; first += WARPS * PIECES, ++turn) {
    const int piece = first + lane, pieces = min(PIECES, end - first);
    T* to = nullptr;
    unsigned bytes = 0;
    if (lane < pieces) {
      const int sequence = line.sequence_of(piece), row = (piece - line.first[sequence]) * ROWS;
      const long long page = block_table[sequence * max_pages + row / BLOCK];
      bytes = min(ROWS, lengths[sequence] - row) * (COLUMNS * sizeof(T));
      to = out + (static_cast<long long>(sequence) * max_pages * BLOCK + row) * COLUMNS;
      harness::bulk_wait_read<0>();  // the last piece has left this place
      harness::mbarrier_arrive_expect(&arrived[warp][lane], bytes);
      harness::bulk_load(place, pool + (page * BLOCK + row % BLOCK) * COLUMNS, bytes, &arrived[warp][lane]);
    }
    for (int i = 0; i < pieces; ++i) {
      harness::mbarrier_wait(&arrived[warp][i], turn & 1);
      if (lane != i) continue;
      harness::bulk_store(to, place, bytes);
      harness::bulk_commit();
    }
    __syncwarp();  // a barrier two phases on looks as if it had not moved: nobody asks again while a lane still waits
  }
  harness::bulk_wait_read<0>();  // a block's shared memory is its own until it ends
}
