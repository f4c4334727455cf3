#pragma once
#include <harness/cp_async.cuh>
#include <harness/exp2.cuh>
#include <harness/infinity.cuh>
#include <harness/ldmatrix.cuh>
#include <harness/mma.cuh>
#include <harness/pack.cuh>
#include <harness/vec.cuh>
#include <harness/warp.cuh>

// Attention by mma.sync (FlashAttention 2): a block holds query rows and walks over key tiles with an online softmax.
//
// Threads: a warp has TILES times 16 query rows for itself, from the scores to the output, so warps exchange nothing.
// Of a 16 x 8 tile of scores or outputs a lane holds the elements that mma.cuh names: rows `group` and `group + 8`,
// two columns of each. Four neighbouring lanes share a row; maxima and sums of rows are exchanged among these only.
// The scores of a tile, exponentiated and rounded, are the A operand of the second product where they lie.
//
// Each fragment of K or V that is read from shared memory feeds TILES products: with TILES = 1 a multiprocessor needs
// 512 bytes of shared memory for 2 x 4096 flops, 128 bytes a cycle for 2048 flops a cycle, which is less than the
// tensor cores take from mma.sync; with TILES = 2 half of it, for twice the registers.
//
// Shared memory: the queries, then a ring of RING tiles of BLOCK_N x D for K and V in turn (K0 V0 K1 V1 ...). Copy
// c goes to tile c % RING and is issued when step c - RING + 1 begins, so RING - 1 copies are under way while one tile
// is multiplied. One barrier a step is enough: it shows everybody's part of copy c to all, and that all have left the
// tile that is refilled next.
//
// Swizzle: a row is D / 8 chunks of 16 bytes, and chunk x of row r lies at x ^ (r % 8). ldmatrix reads one chunk of
// eight rows at a time; unswizzled all eight would lie in the same four banks. Where D is not 64, 128 or 256, an
// exclusive-or leaves the row. There rows are an odd number of chunks apart instead, which also takes the eight to
// different banks. Products take 16 columns at a time, so at D = 72 a tenth chunk of each row is 0.
//
// Scores stay as the product gives them; softmax scale and log2(e) come in as `factor` in the one multiply-add before
// exp2. `largest` is in units of log2.

namespace harness {

/// What the rows of a block's tile see: row r the keys up to r + diagonal. A kernel whose rows see no key before some
/// key of their own, or whose scores are bent, has a rule of its own with the same members (attention_varlen has one).
struct Diagonal {
  static constexpr bool kHasFirst = false;  // true: also first_key(row), first_of_all() and first_of_any(row)
  int diagonal;
  __device__ int last_key(int row) const { return row + diagonal; }
  /// The last key that every row sees; that any of the rows first ... last sees.
  __device__ int last_of_all() const { return diagonal; }
  __device__ int last_of_any(int, int last) const { return last + diagonal; }
  /// Of a score that is not masked yet.
  __device__ float bent(float score) const { return score; }
};

/// Elements from one row of a tensor to the next: here D, rows are dense.
template <int D>
struct DensePitch {
  static constexpr int queries = D, keys = D;
};

template <class T, int D, int WARPS, int TILES, int BLOCK_N, int RING, bool Q_REGISTERS, class Pitch = DensePitch<D>>
struct MmaTile {
  static constexpr int kThreads = 32 * WARPS;
  static constexpr int kWarpRows = 16 * TILES;
  static constexpr int kBlockM = WARPS * kWarpRows;
  static constexpr bool kSwizzled = D % 64 == 0 && 256 % D == 0;  // rows of 128, 256 or 512 bytes
  static constexpr int kSteps = (D + 15) / 16;                    // products over the columns of K
  static constexpr int kChunks = 2 * kSteps;                      // of a row; those from D / 8 on are 0
  static constexpr int kRowBytes = 16 * (kSwizzled ? kChunks : kChunks + 1);
  static constexpr int kTileBytes = BLOCK_N * kRowBytes;
  static constexpr int kKeyTiles = BLOCK_N / 8, kOutTiles = D / 8;
  static constexpr int kSharedBytes = kBlockM * kRowBytes + RING * kTileBytes;
  static_assert(D % 8 == 0 && BLOCK_N % 16 == 0 && RING >= 2, "tiles divide evenly");

  char* shared;
  Pitch pitch;
  int thread, lane, group, pair;
  int first_row;           // of this warp in the block's tile
  int queries;             // of this warp, bytes from the start of shared memory
  int read = 0, fill = 0;  // tiles of the ring: the one of this step, the next to be filled
  int copy = 0, copies = 0;
  bool idle = false;  // all of this warp's rows lie behind the last query
  unsigned query[Q_REGISTERS ? TILES : 1][Q_REGISTERS ? kSteps : 1][4];

  float out[TILES][kOutTiles][4];  // sum of p * v, relative to `largest`
  float largest[TILES][2];         // of rows group, group + 8; the same in the four lanes of a row
  float sum[TILES][2];             // of p over this lane's keys only; sum_of_row() adds the lanes up

  __device__ explicit MmaTile(char* shared_memory, Pitch pitch = {}) : shared(shared_memory), pitch(pitch) {
    thread = threadIdx.x % kThreads;
    lane = threadIdx.x % 32;
    group = lane / 4;
    pair = lane % 4;
    first_row = thread / 32 * kWarpRows;
    queries = first_row * kRowBytes;
#pragma unroll
    for (int m = 0; m < TILES; ++m) {
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        largest[m][h] = -harness::kInfinity;
        sum[m][h] = 0;
      }
#pragma unroll
      for (int n = 0; n < kOutTiles; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i) out[m][n][i] = 0;
    }
  }

  /// Where chunk `chunk` of row `row` lies in a tile, bytes.
  __device__ static int swizzled(int row, int chunk) {
    if constexpr (kSwizzled) return row * kRowBytes + ((chunk ^ (row % 8)) * 16);
    else return row * kRowBytes + chunk * 16;
  }
  /// The place `chunks` chunks, an even number, behind `place`, which is that of chunk 0 or 1 of a row.
  __device__ static int further(int place, int chunks) {
    if constexpr (kSwizzled) return place ^ (16 * chunks);
    else return place + 16 * chunks;
  }
  /// Whether a chunk of a row holds columns of the tensor, rather than zeros behind them.
  __device__ static bool is_of_tensor(int chunk) {
    return kChunks == D / 8 || chunk < D / 8;
  }

  /// Tile i of the ring, bytes from the start of shared memory.
  __device__ static int tile_at(int i) {
    return kBlockM * kRowBytes + i * kTileBytes;
  }

  /// Rows of this tile (see mma.cuh): `h` is 0 for group, 1 for group + 8.
  __device__ int row(int m, int h) const {
    return first_row + 16 * m + group + 8 * h;
  }

  /// Starts the copy of this warp's rows; rows of the block from `valid` on become 0.
  __device__ void load_queries(const T* q, int valid) {
    idle = first_row >= valid;
#pragma unroll
    for (int i = lane; i < kWarpRows * kChunks; i += 32) {
      const int r = i / kChunks, chunk = i % kChunks;
      const bool inside = first_row + r < valid && is_of_tensor(chunk);
      harness::cp_async<16>(shared + queries + swizzled(r, chunk), q + (first_row + r) * pitch.queries + chunk * 8,
                            inside ? 16 : 0);
    }
    harness::cp_async_commit();
  }

  /// Attends to keys [begin, end), in tiles from `begin` on. Query row r of the tile sees key j only if
  /// j <= rows.last_key(r), and j >= rows.first_key(r) where there is one. The scores are multiplied by `factor` > 0.
  /// Called by all threads of the tile, once.
  template <class Rows>
  __device__ void attend(const T* k, const T* v, int begin, int end, Rows rows, float factor) {
    copies = end > begin ? 2 * ((end - begin + BLOCK_N - 1) / BLOCK_N) : 0;
#pragma unroll
    for (int i = 0; i < RING - 1; ++i) issue(k, v, begin, end);
    if constexpr (Q_REGISTERS) {
      harness::cp_async_wait<RING - 1>();
      __syncwarp();
#pragma unroll
      for (int m = 0; m < TILES; ++m)
#pragma unroll
        for (int s = 0; s < kSteps; ++s) load_query(query[m][s], m, s);
    }
    const int seen = min(end, rows.last_of_all() + 1);  // keys before it are seen by all rows: no mask
    int key = begin;
    if constexpr (Rows::kHasFirst)
      for (; key < min(end, rows.first_of_all()); key += BLOCK_N) step<true>(k, v, begin, end, key, rows, factor);
    for (; key + BLOCK_N <= seen; key += BLOCK_N) step<false>(k, v, begin, end, key, rows, factor);
    for (; key < end; key += BLOCK_N) step<true>(k, v, begin, end, key, rows, factor);
    harness::cp_async_wait_all();  // also where there was no key to wait for
    __syncwarp();
  }

  /// Starts the next copy, if there is one, and always closes a group: waits count groups.
  __device__ void issue(const T* k, const T* v, int begin, int end) {
    if (copy < copies) {
      const int first = begin + copy / 2 * BLOCK_N;
      constexpr int kRows = kThreads / kChunks;  // that the block copies at a time; threads that are left over rest
      const int own_row = thread / kChunks, chunk = thread % kChunks;
      const T* source = (copy % 2 ? v : k) + static_cast<long long>(first + own_row) * pitch.keys + chunk * 8;
      char* tile = shared + tile_at(fill);
#pragma unroll
      for (int r = 0; r < BLOCK_N; r += kRows)
        if ((BLOCK_N % kRows == 0 || own_row + r < BLOCK_N) && (kThreads % kChunks == 0 || own_row < kRows))
          harness::cp_async<16>(tile + swizzled(own_row + r, chunk), source + r * pitch.keys,
                                first + own_row + r < end && is_of_tensor(chunk) ? 16 : 0);
    }
    harness::cp_async_commit();
    ++copy;
    fill = fill + 1 == RING ? 0 : fill + 1;
  }

  /// The tile of the next copy in turn, complete and visible; the one before it may be refilled, and is.
  __device__ int next(const T* k, const T* v, int begin, int end) {
    harness::cp_async_wait<RING - 2>();
    __syncthreads();
    issue(k, v, begin, end);
    const int tile = tile_at(read);
    read = read + 1 == RING ? 0 : read + 1;
    return tile;
  }

  template <bool MASKED, class Rows>
  __device__ void step(const T* k, const T* v, int begin, int end, int first_key, Rows rows, float factor) {
    // A warp none of whose rows sees the tile has nothing to do but to keep in step.
    bool sees = !idle && (!MASKED || first_key <= rows.last_of_any(first_row, first_row + kWarpRows - 1));
    if constexpr (MASKED && Rows::kHasFirst) sees = sees && first_key + BLOCK_N > rows.first_of_any(first_row);
    unsigned weights[TILES][kKeyTiles][2];
    const int keys = next(k, v, begin, end);
    if (sees) {
      float score[TILES][kKeyTiles][4];
      multiply_keys(score, keys);
#pragma unroll
      for (int m = 0; m < TILES; ++m)
#pragma unroll
        for (int n = 0; n < kKeyTiles; ++n)
#pragma unroll
          for (int i = 0; i < 4; ++i) score[m][n][i] = rows.bent(score[m][n][i]);
      if constexpr (MASKED) mask(score, first_key, end, rows);
      exponentiate(score, weights, factor);
    }
    const int values = next(k, v, begin, end);
    if (sees) multiply_values(weights, values);
  }

  /// Columns 16 s ... 16 s + 15 of rows 16 m ... 16 m + 15, as an A operand.
  __device__ void load_query(unsigned (&a)[4], int m, int s) const {
    harness::ldmatrix_x4(a, shared + further(queries + swizzled(lane % 16, lane / 16), 2 * s) + 16 * m * kRowBytes);
  }

  /// score = Q K^T. A row of K is a column of the B operand, so K is loaded as it lies.
  __device__ void multiply_keys(float (&score)[TILES][kKeyTiles][4], int keys) const {
    // Lanes 0-15 name two chunks of 8 keys, lanes 16-31 the same chunks of the next 8. Chunk 2 s is one XOR away.
    const int first = keys + swizzled(lane / 16 * 8 + lane % 8, lane / 8 % 2);
#pragma unroll
    for (int m = 0; m < TILES; ++m)
#pragma unroll
      for (int n = 0; n < kKeyTiles; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i) score[m][n][i] = 0;
#pragma unroll
    for (int s = 0; s < kSteps; ++s) {
      unsigned a[TILES][4];
#pragma unroll
      for (int m = 0; m < TILES; ++m) {
        if constexpr (!Q_REGISTERS) load_query(a[m], m, s);
        else
#pragma unroll
          for (int i = 0; i < 4; ++i) a[m][i] = query[m][s][i];
      }
#pragma unroll
      for (int n = 0; n < kKeyTiles; n += 2) {
        unsigned b[4];
        harness::ldmatrix_x4(b, shared + further(first, 2 * s) + 8 * n * kRowBytes);
#pragma unroll
        for (int m = 0; m < TILES; ++m) {
          harness::mma_m16n8k16<T>(score[m][n], a[m], b[0], b[1]);
          harness::mma_m16n8k16<T>(score[m][n + 1], a[m], b[2], b[3]);
        }
      }
    }
  }

  template <class Rows>
  __device__ void mask(float (&score)[TILES][kKeyTiles][4], int first_key, int end, Rows rows) const {
#pragma unroll
    for (int m = 0; m < TILES; ++m)
#pragma unroll
      for (int n = 0; n < kKeyTiles; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int key = first_key + 8 * n + 2 * pair + i % 2;
          if (key >= end || key > rows.last_key(row(m, i / 2))) score[m][n][i] = -harness::kInfinity;
          if constexpr (Rows::kHasFirst)
            if (key < rows.first_key(row(m, i / 2))) score[m][n][i] = -harness::kInfinity;
        }
  }

  /// p = exp2(factor * score - largest), rounded, in pairs: two keys of row group, then of group + 8. What was summed
  /// under a smaller maximum is rescaled. A row that has seen no visible key yet keeps largest = -inf, and 0 stands in
  /// for it: exp2(-inf - -inf) would be NaN.
  __device__ void exponentiate(const float (&score)[TILES][kKeyTiles][4], unsigned (&p)[TILES][kKeyTiles][2],
                               float factor) {
#pragma unroll
    for (int m = 0; m < TILES; ++m)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        float here = -harness::kInfinity;
#pragma unroll
        for (int n = 0; n < kKeyTiles; ++n) here = fmaxf(here, fmaxf(score[m][n][2 * h], score[m][n][2 * h + 1]));
        here = fmaxf(largest[m][h], factor * harness::warp_max<4>(here));
        const float base = here == -harness::kInfinity ? 0.0f : here;
        const float rescale = harness::exp2_approx(largest[m][h] - base);
        largest[m][h] = here;
        float added = 0;
#pragma unroll
        for (int n = 0; n < kKeyTiles; ++n) {
          const float first = harness::exp2_approx(fmaf(score[m][n][2 * h], factor, -base));
          const float second = harness::exp2_approx(fmaf(score[m][n][2 * h + 1], factor, -base));
          added += first + second;
          p[m][n][h] = harness::pack<T>(first, second);
        }
        sum[m][h] = sum[m][h] * rescale + added;
#pragma unroll
        for (int n = 0; n < kOutTiles; ++n) {
          out[m][n][2 * h] *= rescale;
          out[m][n][2 * h + 1] *= rescale;
        }
      }
  }

  /// out += P V. A row of V is a row of the B operand, so V is transposed on its way to the registers.
  __device__ void multiply_values(const unsigned (&p)[TILES][kKeyTiles][2], int values) {
    // Lanes 0-15 name a chunk of 16 keys, lanes 16-31 the next chunk of the same keys.
    const int first = values + swizzled(lane % 16, lane / 16);
#pragma unroll
    for (int s = 0; s < BLOCK_N / 16; ++s) {
      unsigned a[TILES][4];
#pragma unroll
      for (int m = 0; m < TILES; ++m)
#pragma unroll
        for (int i = 0; i < 4; ++i) a[m][i] = p[m][2 * s + i / 2][i % 2];
#pragma unroll
      for (int n = 0; n < kOutTiles; n += 2) {
        unsigned b[4];
        harness::ldmatrix_x4_trans(b, shared + further(first, n) + 16 * s * kRowBytes);
#pragma unroll
        for (int m = 0; m < TILES; ++m) {
          harness::mma_m16n8k16<T>(out[m][n], a[m], b[0], b[1]);
          if (n + 1 < kOutTiles) harness::mma_m16n8k16<T>(out[m][n + 1], a[m], b[2], b[3]);
        }
      }
    }
  }

  /// One more logit of each row that brings no value, in units of log2: behind the last key.
  __device__ void add_sink(float logit) {
    if (pair != 0) return;  // one of the four lanes of a row
#pragma unroll
    for (int m = 0; m < TILES; ++m)
#pragma unroll
      for (int h = 0; h < 2; ++h) sum[m][h] += harness::exp2_approx(logit - largest[m][h]);
  }

  __device__ float sum_of_row(int m, int h) const {
    return harness::warp_sum<4>(sum[m][h]);
  }

  /// Writes the finished rows below `valid` to `o`, and their log-sum-exp to `lse` if it is not null. The rows go
  /// through the shared memory of the queries, so that whole rows are stored, 16 bytes a lane.
  __device__ void store(T* o, float* lse, int valid) const {
#pragma unroll
    for (int m = 0; m < TILES; ++m)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const float total = sum_of_row(m, h);
        const float inverse = total > 0 ? 1.0f / total : 0.0f;  // a row that sees no key is 0
        const int r = 16 * m + group + 8 * h;
#pragma unroll
        for (int n = 0; n < kOutTiles; ++n)
          *reinterpret_cast<unsigned*>(shared + queries + swizzled(r, n) + 4 * pair) =
              harness::pack<T>(out[m][n][2 * h] * inverse, out[m][n][2 * h + 1] * inverse);
        if (lse && pair == 0 && first_row + r < valid)
          lse[first_row + r] = total > 0 ? largest[m][h] * 0.6931471805599453f + logf(total) : -harness::kInfinity;
      }
    __syncwarp();
#pragma unroll
    for (int i = lane; i < kWarpRows * kOutTiles; i += 32) {
      const int r = i / kOutTiles, chunk = i % kOutTiles;
      if (first_row + r < valid)
        harness::store(o + (first_row + r) * pitch.queries + chunk * 8,
                       harness::load<8>(reinterpret_cast<const T*>(shared + queries + swizzled(r, chunk))));
    }
  }
};

}  // namespace harness
