#include <harness/load_now.cuh>

#include "packed_tile.cuh"

// Idea (playbook 112 and 113): with one query row or a few, attention reads every key and value once and does little
// with them, so the time is bytes over bandwidth: what counts is that the whole device reads, that enough bytes are
// under way, and that nothing is read twice. So keys and values go from memory straight to the registers where the
// tensor cores want them, 16 bytes a lane and load, and shared memory and its latency are left out:
//   K as B operand: a lane has the columns 8 pair ... 8 pair + 7 of every 32 of its key. That these are not the columns
//     2 pair, 2 pair + 1 of which mma.cuh speaks matters to nobody, because Q is loaded alike.
//   V as A operand: a lane has 8 columns of four keys, and pairs two keys of one column by byte permutes.
// The keys are split over SPLITS blocks and in each over WARPS warps, which take tiles of 16 keys in turns; a warp keeps
// RING tiles of K and of V in flight, each asked for as soon as its registers are free.
//
// Cost: RING * D / 2 registers for what is in flight. A row is written and read again once for each split.
// To keep 4.4 TB/s going at about 1 us of latency 4.4 MB must be under way, 33 KB a multiprocessor; a warp has up to
// RING * D * 64 bytes.
//
// Stops: when the rows of a group are many more than 16 (each 16 read all keys again: 40_mma), or when the keys are so
// few that a launch and the meeting of the blocks take longer than reading (50_tiny).

template <class T, int D, int HALVES, int RING>
struct StreamedTile : PackedTile<T, D, HALVES> {
  using Base = PackedTile<T, D, HALVES>;
  using Words = harness::Vec<unsigned, 4>;
  using Base::group;
  using Base::pair;
  static constexpr int kKeys = 16;  // of a tile
  static constexpr int kKeyLoads = D / 32, kValueLoads = D / 64;

  Words keys[RING][2][kKeyLoads];      // of keys group, group + 8
  Words values[RING][4][kValueLoads];  // of keys 2 pair, 2 pair + 1, 2 pair + 8, 2 pair + 9

  /// Rows from `valid` on become 0.
  __device__ void load_queries(const T* q, int valid) {
#pragma unroll
    for (int h = 0; h < HALVES; ++h)
#pragma unroll
      for (int j = 0; j < kKeyLoads; ++j) {
        Words w = {};
        if (8 * h + group < valid) w = harness::load_now(q + (8 * h + group) * D + 32 * j + 8 * pair);
#pragma unroll
        for (int i = 0; i < 4; ++i) this->query[h][2 * j + i / 2][i % 2] = w.at[i];
      }
  }

  /// Column of out[h][n][0] (see combine); that of [2] is the next one.
  __device__ int column(int n) const {
    return n / 4 * 64 + group * 8 + n % 4 * 2;
  }

  /// Tiles that begin at `begin` and every `stride` keys further, before `end`. Keys from `end` on are replaced by the
  /// last one, whose weight is then 0.
  __device__ void attend(const T* k, const T* v, int begin, int end, int stride, PackedRows rows, float factor) {
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
        unsigned p[HALVES][2];
        weigh_keys(p, slot, key, end, rows, factor);
        fetch_keys(slot, k, next, end - 1);
        add_values(p, slot);
        fetch_values(slot, v, next, end - 1);
      }
  }

 private:
  __device__ void fetch_keys(int slot, const T* k, int first, int last) {
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const T* const row = k + min(first + 8 * n + group, last) * D + 8 * pair;
#pragma unroll
      for (int j = 0; j < kKeyLoads; ++j) keys[slot][n][j] = harness::load_now(row + 32 * j);
    }
  }

  __device__ void fetch_values(int slot, const T* v, int first, int last) {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const T* const row = v + min(first + 2 * pair + r % 2 + r / 2 * 8, last) * D + 8 * group;
#pragma unroll
      for (int j = 0; j < kValueLoads; ++j) values[slot][r][j] = harness::load_now(row + 64 * j);
    }
  }

  __device__ void weigh_keys(unsigned (&p)[HALVES][2], int slot, int first, int end, PackedRows rows, float factor) {
    float score[2][4] = {};
#pragma unroll
    for (int step = 0; step < Base::kSteps; ++step)
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        const Words& w = keys[slot][n][step / 2];
        this->multiply_keys(score[n], step, w.at[step % 2 * 2], w.at[step % 2 * 2 + 1]);
      }
    this->mask(score, first, end, rows);
    this->exponentiate(score, p, factor);
  }

  __device__ void add_values(const unsigned (&p)[HALVES][2], int slot) {
    constexpr unsigned kLower = 0x5410, kUpper = 0x7632;  // halves of both words
#pragma unroll
    for (int n = 0; n < Base::kOutTiles; ++n) {
      unsigned word[4];
#pragma unroll
      for (int r = 0; r < 4; ++r) word[r] = values[slot][r][n / 4].at[n % 4];
      const unsigned a[4] = {__byte_perm(word[0], word[1], kLower), __byte_perm(word[0], word[1], kUpper),
                             __byte_perm(word[2], word[3], kLower), __byte_perm(word[2], word[3], kUpper)};
      this->multiply_values(n, a, p);
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
  const PackedBlock block(Tile::kRows, Hq, Hkv, Sq, Sk, causal != 0, splits);

  Tile tile;
  tile.load_queries(q + block.first_of_out * D, block.valid);
  tile.attend(k + block.kv_head * Sk * D, v + block.kv_head * Sk * D,
              block.begin(Sk, splits, kRound) + threadIdx.x / 32 * Tile::kKeys, block.end(Sk, splits, kRound), kRound,
              block.rows, scale * 1.4426950408889634f);

  const long long partial = block.tile_of_grid * splits * Tile::kRows;
  const PackedOutput<T> to{o + block.first_of_out * D, lse ? lse + block.first_of_out : nullptr,
                           o_partial + partial * D,    max_partial + partial,
                           sum_partial + partial,      arrived + block.tile_of_grid};
  combine<WARPS>(
      tile, reinterpret_cast<float*>(shared_memory), block.valid, block.split, splits, to,
      [&](int n) { return tile.column(n); });
}
