#include <harness/chunked_tile.cuh>

// Idea (playbook 112 and 113): with one query row or a few, attention reads every key and value once and does little
// with them, so the time is bytes over bandwidth: what counts is that the whole device reads, that enough bytes are
// under way, and that nothing is read twice. So keys and values go from memory straight to the registers where the
// tensor cores want them, 16 bytes a lane and load (chunked_tile.cuh), and shared memory and its latency are left out.
// The keys are split over SPLITS blocks and in each over WARPS warps, which take tiles of 16 keys in turns; a warp
// keeps RING tiles of K and of V in flight, each asked for as soon as its registers are free.
//
// Cost: RING * D / 2 registers for what is in flight. A row is written and read again once for each split.
// To keep 4.4 TB/s going at about 1 us of latency 4.4 MB must be under way, 33 KB a multiprocessor; a warp has up to
// RING * D * 64 bytes.
//
// Stops: when the rows of a group are many more than 16 (each 16 read all keys again: 40_mma), or when the keys are so
// few that a launch and the meeting of the blocks take longer than reading (50_tiny).

template <class T, int D, int HALVES, int RING>
struct StreamedTile : harness::ChunkedTile<T, D, HALVES> {
  using Base = harness::ChunkedTile<T, D, HALVES>;

  typename Base::Keys keys[RING];
  typename Base::Values values[RING];

  /// Tiles that begin at `begin` and every `stride` keys further, before `end`. Keys from `end` on are replaced by the
  /// last one, whose weight is then 0.
  __device__ void attend(const T* k, const T* v, int begin, int end, int stride, harness::PackedRows rows,
                         float factor) {
    if (begin >= end) return;
#pragma unroll
    for (int slot = 0; slot < RING; ++slot) {
      fetch_keys(slot, k, begin + slot * stride, end - 1);
      fetch_values(slot, v, begin + slot * stride, end - 1);
    }
    for (int first = begin; first < end; first += RING * stride)
#pragma unroll
      for (int slot = 0; slot < RING; ++slot) {
        const int key = first + slot * stride, next = key + RING * stride;
        float score[2][4] = {};
        this->multiply_chunks(score[0], score[1], keys[slot]);
        fetch_keys(slot, k, next, end - 1);
        unsigned p[HALVES][2];
        this->mask(score, key, end, rows);
        this->exponentiate(score, p, factor);
        this->add_chunks(p, values[slot]);
        fetch_values(slot, v, next, end - 1);
      }
  }

 private:
  __device__ void fetch_keys(int slot, const T* k, int first, int last) {
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const T* const row = k + min(first + this->key_row(n), last) * D;
#pragma unroll
      for (int j = 0; j < Base::kKeyLoads; ++j)
        if (this->has_key_column(j)) keys[slot][n][j] = harness::load_now(row + this->key_column(j));
        else keys[slot][n][j] = {};
    }
  }

  __device__ void fetch_values(int slot, const T* v, int first, int last) {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const T* const row = v + min(first + this->value_row(r), last) * D;
#pragma unroll
      for (int j = 0; j < Base::kValueLoads; ++j)
        if (this->has_value_column(j)) values[slot][r][j] = harness::load_now(row + this->value_column(j));
        else values[slot][r][j] = {};
    }
  }
};

template <class T, int D, int ROWS, int WARPS, int RING>
__global__ void __launch_bounds__(32 * WARPS)
    attention_decode(const T* q, const T* k, const T* v, T* o, float* lse, float* o_partial, float* max_partial,
                     float* sum_partial, unsigned* arrived, float scale, int Hq, int Hkv, int Sq, int Sk, int causal,
                     int splits) {
  using Tile = StreamedTile<T, D, ROWS / 8, RING>;
  constexpr int kRound = WARPS * Tile::kKeys;
  extern __shared__ float4 shared_memory[];
  const harness::PackedBlock block(Tile::kRows, Hq, Hkv, Sq, Sk, causal != 0, splits);

  Tile tile;
  tile.load_queries(q + block.first_of_out * D, block.valid);
  tile.attend(k + block.kv_head * Sk * D, v + block.kv_head * Sk * D,
              block.begin(Sk, splits, kRound) + threadIdx.x / 32 * Tile::kKeys, block.end(Sk, splits, kRound), kRound,
              block.rows, scale * 1.4426950408889634f);

  const long long partial = block.tile_of_grid * splits * Tile::kRows;
  harness::combine<WARPS>(
      tile, shared_memory, block.valid, block.split, splits,
      harness::PackedOutput<T, D>{o + block.first_of_out * D, lse ? lse + block.first_of_out : nullptr},
      harness::PackedPartials{o_partial + partial * D, max_partial + partial, sum_partial + partial,
                              arrived + block.tile_of_grid},
      [&](int n) { return tile.column(n); });
}
