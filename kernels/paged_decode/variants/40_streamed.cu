#include <harness/chunked_tile.cuh>

// Idea: attention's 46_decode, whose keys lie in pages. A tile of 16 keys is half a page, one, or two; what stands at
// the front of a tile's addresses is a number of the page table, and the loads that need it may not wait for it. So a
// tile's page is asked for when the tile before it in its place of the ring is: it has come when it is needed. Keys and
// values then go from memory to the registers where the tensor cores want them (chunked_tile.cuh), 16 bytes a lane and
// load, RING tiles of each under way.
//
// The query heads that share a key head are the rows of a tile: every key is read once. SPLITS blocks share a sequence
// by its own length, and the block that comes last puts the results together: no second launch.
//
// Cost: RING * D / 2 registers for what is under way; the bytes of keys and values once. Stops: at the bandwidth of
// memory; with few and short sequences at the launch and the meeting of the blocks.

/// BLOCK: keys of a page.
template <class T, int D, int HALVES, int BLOCK, int RING>
struct PagedTile : harness::ChunkedTile<T, D, HALVES> {
  using Base = harness::ChunkedTile<T, D, HALVES>;
  static constexpr int kPages = BLOCK < Base::kKeys ? 2 : 1;  // of a tile

  const T *k, *v;        // of the key head, in the first page
  const int* table;      // of the sequence
  long long key_stride;  // elements from one key to the next
  typename Base::Keys keys[RING];
  typename Base::Values values[RING];
  int pages[RING][kPages];  // of the tile that comes next in this place

  /// The tiles that begin at `begin` and every `stride` keys further, before `end`.
  __device__ void attend(int begin, int end, int stride, harness::PackedRows rows, float factor) {
#pragma unroll
    for (int slot = 0; slot < RING; ++slot) look_up(slot, begin + slot * stride, end);
#pragma unroll
    for (int slot = 0; slot < RING; ++slot) fetch(slot, begin + slot * stride, end, stride);
    for (int first = begin;; first += RING * stride)
#pragma unroll
      for (int slot = 0; slot < RING; ++slot) {
        const int key = first + slot * stride;
        if (key >= end) return;
        float score[2][4] = {};
        this->multiply_chunks(score[0], score[1], keys[slot]);
        unsigned p[HALVES][2];
        this->mask(score, key, end, rows);
        this->exponentiate(score, p, factor);
        this->add_chunks(p, values[slot]);
        fetch(slot, key + RING * stride, end, stride);
      }
  }

 private:
  /// Of the tile that begins at key `first`; behind `end` that of the last key.
  __device__ void look_up(int slot, int first, int end) {
    pages[slot][0] = table[min(first, end - 1) / BLOCK];
    if constexpr (kPages == 2) pages[slot][1] = table[min(first + BLOCK, end - 1) / BLOCK];
  }

  /// Asks for the tile whose first key is `first`, and for the page of the one after it in this place. A row behind
  /// `end` is replaced by the last one, whose weight is then 0.
  __device__ void fetch(int slot, int first, int end, int stride) {
    if (first >= end) return;
    const int key = first % BLOCK;  // of its page
    long long at[kPages];           // of the tile's first key in each page
    at[0] = (static_cast<long long>(pages[slot][0]) * BLOCK + key) * key_stride;
    if constexpr (kPages == 2) at[1] = static_cast<long long>(pages[slot][1]) * BLOCK * key_stride;
    look_up(slot, first + RING * stride, end);
    const int last = end - 1 - first;
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const T* const row = k + offset(at, min(this->key_row(n), last));
#pragma unroll
      for (int j = 0; j < Base::kKeyLoads; ++j) keys[slot][n][j] = harness::load_now(row + this->key_column(j));
    }
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const T* const row = v + offset(at, min(this->value_row(r), last));
#pragma unroll
      for (int j = 0; j < Base::kValueLoads; ++j) values[slot][r][j] = harness::load_now(row + this->value_column(j));
    }
  }

  __device__ long long offset(const long long (&at)[kPages], int row) const {
    if constexpr (kPages == 1) return at[0] + row * key_stride;
    else return (row < BLOCK ? at[0] : at[1]) + row % BLOCK * key_stride;
  }
};

// Grid: SPLITS * tiles of a group x (B * Hkv).
template <class T, int D, int BLOCK, int ROWS, int WARPS, int RING>
__global__ void __launch_bounds__(32 * WARPS)
    decode_streamed(const T* q, const T* k_pages, const T* v_pages, const int* lengths, const int* page_table, T* o,
                    float* o_partial, float* max_partial, float* sum_partial, unsigned* arrived, float scale, int Hq,
                    int Hkv, int max_pages, int splits) {
  using Tile = PagedTile<T, D, ROWS / 8, BLOCK, RING>;
  constexpr int kRound = WARPS * Tile::kKeys;
  extern __shared__ float4 shared_memory[];
  const int sequence = blockIdx.y / Hkv, kv_head = blockIdx.y % Hkv;
  const int* const table = page_table + static_cast<long long>(sequence) * max_pages;
  const int length = lengths[sequence];
  const harness::PackedBlock block(ROWS, Hq, Hkv, 1, length, false, splits);

  Tile tile;
  tile.k = k_pages + kv_head * D;
  tile.v = v_pages + kv_head * D;
  tile.table = table;
  tile.key_stride = static_cast<long long>(Hkv) * D;
  tile.load_queries(q + block.first_of_out * D, block.valid);
  tile.attend(block.begin(length, splits, kRound) + threadIdx.x / 32 * Tile::kKeys, block.end(length, splits, kRound),
              kRound, block.rows, scale * 1.4426950408889634f);

  const long long partial = block.tile_of_grid * splits * ROWS;
  harness::combine<WARPS>(tile, shared_memory, block.valid, block.split, splits,
                          harness::PackedOutput<T, D>{o + block.first_of_out * D, nullptr},
                          harness::PackedPartials{o_partial + partial * D, max_partial + partial, sum_partial + partial,
                                                  arrived + block.tile_of_grid},
                          [&](int n) { return tile.column(n); });
}
