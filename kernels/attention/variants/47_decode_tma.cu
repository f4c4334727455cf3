#include <harness/ldmatrix.cuh>
#include <harness/tma.cuh>

#include "packed_tile.cuh"

// Idea: 46_decode with tiles that TMA brings to shared memory: what is in flight costs no registers, one lane asks for
// a whole tile, and memory sees requests of kilobytes. Each warp has a ring of its own, of RING tiles of BLOCK_N keys,
// K and V in turn, and waits for nobody; a tile that has been read is asked for again at once. Cost: everything is read
// from shared memory once more (ldmatrix); sm_90 only. Stops: as 46_decode.

template <class T, int D, int HALVES, int BLOCK_N, int RING>
struct RingTile : PackedTile<T, D, HALVES> {
  using Base = PackedTile<T, D, HALVES>;
  using Base::group;
  using Base::pair;
  static constexpr int kTileBytes = 2 * BLOCK_N * D;
  static constexpr int kKeyTiles = BLOCK_N / 8;

  char* ring;
  harness::Mbarrier* full;  // [RING]
  int lane = threadIdx.x % 32;

  __device__ RingTile(char* ring, harness::Mbarrier* full) : ring(ring), full(full) {}

  /// Rows from `valid` on become 0.
  __device__ void load_queries(const T* q, int valid) {
#pragma unroll
    for (int h = 0; h < HALVES; ++h)
#pragma unroll
      for (int s = 0; s < Base::kSteps; ++s)
#pragma unroll
        for (int i = 0; i < 2; ++i)
          this->query[h][s][i] =
              8 * h + group < valid
                  ? *reinterpret_cast<const unsigned*>(q + (8 * h + group) * D + 16 * s + 8 * i + 2 * pair)
                  : 0;
  }

  /// Column of out[h][n][0]; that of [2] is 8 further.
  __device__ int column(int n) const {
    return 16 * n + group;
  }

  __device__ void attend(const harness::TensorMap& k, const harness::TensorMap& v, int begin, int end, int stride,
                         int head, int batch, PackedRows rows, float factor) {
    const int tiles = begin < end ? (end - begin + stride - 1) / stride : 0;
    for (int copy = 0; copy < RING && copy < 2 * tiles; ++copy) issue(k, v, copy, begin, stride, head, batch);
    int copy = 0;
    for (int tile = 0; tile < tiles; ++tile) {
      const int first = begin + tile * stride;
      float score[kKeyTiles][4] = {};
      multiply_tile(score, wait(copy));
      give_back(k, v, copy++, 2 * tiles, begin, stride, head, batch);
      this->mask(score, first, end, rows);
      unsigned p[HALVES][kKeyTiles];
      this->exponentiate(score, p, factor);
      add_tile(p, wait(copy));
      give_back(k, v, copy++, 2 * tiles, begin, stride, head, batch);
    }
  }

 private:
  __device__ char* slot(int copy) const {
    return ring + copy % RING * kTileBytes;
  }

  __device__ void issue(const harness::TensorMap& k, const harness::TensorMap& v, int copy, int begin, int stride,
                        int head, int batch) {
    if (lane != 0) return;
    harness::Mbarrier* const barrier = full + copy % RING;
    harness::mbarrier_arrive_expect(barrier, kTileBytes);
#pragma unroll
    for (int panel = 0; panel < D / 64; ++panel)
      harness::tma_load(slot(copy) + panel * BLOCK_N * 128, copy % 2 ? v : k, barrier, panel * 64,
                        begin + copy / 2 * stride, head, batch);
  }
  __device__ const char* wait(int copy) {
    harness::mbarrier_wait(full + copy % RING, copy / RING & 1);
    return slot(copy);
  }
  __device__ void give_back(const harness::TensorMap& k, const harness::TensorMap& v, int copy, int copies, int begin,
                            int stride, int head, int batch) {
    __syncwarp();
    if (copy + RING < copies) issue(k, v, copy + RING, begin, stride, head, batch);
  }

  /// Chunk of 16 bytes `chunk` of row `row` of a tile that lies in panels of 64 columns, swizzled by 128 bytes.
  __device__ static const char* chunk_of(const char* tile, int row, int chunk) {
    return tile + chunk / 8 * BLOCK_N * 128 + row * 128 + (chunk % 8 ^ row % 8) * 16;
  }

  __device__ void multiply_tile(float (&score)[kKeyTiles][4], const char* keys) const {
#pragma unroll
    for (int s = 0; s < Base::kSteps; ++s)
#pragma unroll
      for (int n = 0; n < kKeyTiles; n += 2) {
        unsigned b[4];
        harness::ldmatrix_x4(b, chunk_of(keys, 8 * n + lane / 16 * 8 + lane % 8, 2 * s + lane / 8 % 2));
        this->multiply_keys(score[n], s, b[0], b[1]);
        this->multiply_keys(score[n + 1], s, b[2], b[3]);
      }
  }
  __device__ void add_tile(const unsigned (&p)[HALVES][kKeyTiles], const char* values) {
#pragma unroll
    for (int s = 0; s < BLOCK_N / 16; ++s) {
      unsigned weights[HALVES][2];
#pragma unroll
      for (int h = 0; h < HALVES; ++h)
#pragma unroll
        for (int i = 0; i < 2; ++i) weights[h][i] = p[h][2 * s + i];
#pragma unroll
      for (int n = 0; n < Base::kOutTiles; ++n) {
        unsigned a[4];  // lanes 0-7: columns 0-7 of keys 0-7; 8-15: columns 8-15; 16-31: the same of keys 8-15
        harness::ldmatrix_x4_trans(a, chunk_of(values, 16 * s + lane / 16 * 8 + lane % 8, 2 * n + lane / 8 % 2));
        this->multiply_values(n, a, weights);
      }
    }
  }
};

template <class T, int D, int HALVES, int WARPS, int BLOCK_N, int RING>
__global__ void __launch_bounds__(32 * WARPS)
    attention_decode_tma(const T* q, const __grid_constant__ harness::TensorMap k,
                         const __grid_constant__ harness::TensorMap v, T* o, float* lse, float* o_partial,
                         float* max_partial, float* sum_partial, unsigned* arrived, float scale, int Hq, int Hkv,
                         int Sq, int Sk, int causal, int splits) {
  using Tile = RingTile<T, D, HALVES, BLOCK_N, RING>;
  constexpr int kRound = WARPS * BLOCK_N;
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  __shared__ harness::Mbarrier full[WARPS][RING];
  const PackedBlock block(Tile::kRows, Hq, Hkv, Sq, Sk, causal != 0, splits);
  const int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) {
    for (int i = 0; i < RING; ++i) harness::mbarrier_init(&full[warp][i], 1);
    harness::mbarrier_init_fence();
  }
  __syncwarp();

  Tile tile(reinterpret_cast<char*>(shared_memory) + warp * RING * Tile::kTileBytes, full[warp]);
  tile.load_queries(q + block.first_of_out * D, block.valid);
  const int head = static_cast<int>(block.kv_head % Hkv), batch = static_cast<int>(block.kv_head / Hkv);
  tile.attend(k, v, block.begin(Sk, splits, kRound) + warp * BLOCK_N, block.end(Sk, splits, kRound), kRound, head,
              batch, block.rows, scale * 1.4426950408889634f);

  __syncthreads();  // the rings are free: combine writes there
  const long long partial = block.tile_of_grid * splits * Tile::kRows;
  const PackedOutput<T> to{o + block.first_of_out * D, lse ? lse + block.first_of_out : nullptr,
                           o_partial + partial * D,    max_partial + partial,
                           sum_partial + partial,      arrived + block.tile_of_grid};
  combine<WARPS>(
      tile, reinterpret_cast<float*>(shared_memory), block.valid, block.split, splits, to,
      [&](int n) { return tile.column(n); }, 8);
}
