#include <mma.h>

#include <harness/convert.cuh>
#include <harness/infinity.cuh>
#include <harness/vec.cuh>

// Idea (playbook 103): both products on the tensor cores by nvcuda::wmma, whose fragments of 16 x 16 know how to load,
// multiply and store themselves. A warp has 16 query rows for itself; K and V tiles are shared by the block.
// Cost: which lane holds which element of a fragment is not documented, so whatever treats rows differently has to go
// through shared memory: the scores on their way to the softmax, the weights on their way back, and the product with V,
// which each lane adds to the sums that it keeps in a layout of its own (half a row a lane), for only there they can be
// rescaled. That is 10 to 12 bytes of shared memory a score beside the products themselves.
// Stops: at the bandwidth of shared memory (40_mma keeps all of this in registers), and at loads that nothing hides.
//
// Rows of 16-bit tiles are padded by PAD elements: without, the 16 rows of a fragment begin in the same bank. Scores
// are in units of log2, as in online_tile.cuh.
template <class T, int D, int WARPS, int BLOCK_N, int PAD>
struct WmmaTile {
  static constexpr int kThreads = 32 * WARPS, kBlockM = 16 * WARPS;
  static constexpr int kWidth = (D + 15) / 16 * 16;   // whole fragments; columns from D on are 0
  static constexpr int kPitch = kWidth + PAD;         // of Q, K, V; elements
  static constexpr int kWeightPitch = BLOCK_N + PAD;  // of p; elements
  static constexpr int kFloatPitch = (BLOCK_N > kWidth ? BLOCK_N : kWidth) + 4;  // of scores, then of P V; floats
  static constexpr int kColumns = D / 2;                                         // of a lane

  template <class Use, class Layout>
  using Operand = nvcuda::wmma::fragment<Use, 16, 16, 16, T, Layout>;
  using Sum = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float>;

  T *queries, *keys, *values;  // of the block
  T* weights;                  // of this warp: 16 x BLOCK_N
  float* floats;               // of this warp: 16 x max(BLOCK_N, kWidth)
  int row, half;               // of this lane: in the warp's 16 rows, and in the row
  float out[kColumns];         // four columns of every eight: 8 j + 4 half + 0 ... 3
  float largest = -harness::kInfinity, sum = 0;

  __device__ explicit WmmaTile(char* shared) {
    const int warp = threadIdx.x / 32;
    floats = reinterpret_cast<float*>(shared) + warp * 16 * kFloatPitch;
    queries = reinterpret_cast<T*>(shared + WARPS * 16 * kFloatPitch * 4);
    keys = queries + kBlockM * kPitch;
    values = keys + BLOCK_N * kPitch;
    weights = values + BLOCK_N * kPitch + warp * 16 * kWeightPitch;
    row = threadIdx.x % 32 / 2;
    half = threadIdx.x % 2;
#pragma unroll
    for (int c = 0; c < kColumns; ++c) out[c] = 0;
  }

  /// Copies `valid` rows (of at most COUNT) into a tile; the rows below them, and columns behind D, become 0.
  template <int COUNT>
  __device__ static void fill(T* tile, const T* source, int valid) {
    constexpr int kChunks = kWidth / 8;
    for (int i = threadIdx.x; i < COUNT * kChunks; i += kThreads) {
      const int r = i / kChunks, column = i % kChunks * 8;
      harness::Vec<T, 8> v;
#pragma unroll
      for (int e = 0; e < 8; ++e) v.at[e] = harness::from_float<T>(0);
      if (r < valid && (kWidth == D || column < D)) v = harness::load<8>(source + r * D + column);
      harness::store(tile + r * kPitch + column, v);
    }
  }

  /// Attends to the keys [0, end). Row r of the block's tile sees key j only if j <= r + diagonal. `factor` is the
  /// softmax scale times log2(e). Called by all threads of the block.
  __device__ void attend(const T* k, const T* v, int end, int diagonal, float factor) {
    for (int first_key = 0; first_key < end; first_key += BLOCK_N) {
      __syncthreads();  // nobody reads the previous tile any more
      fill<BLOCK_N>(keys, k + static_cast<long long>(first_key) * D, end - first_key);
      fill<BLOCK_N>(values, v + static_cast<long long>(first_key) * D, end - first_key);
      __syncthreads();
      multiply_keys();
      const int seen = min(end, static_cast<int>(threadIdx.x) / 32 * 16 + row + diagonal + 1) - first_key;
      const float rescale = exponentiate(seen, factor);
      multiply_values();
      add(rescale);
    }
  }

  /// Q K^T of this warp's rows, to `floats`. Key j of the tile is column j of the second operand.
  __device__ void multiply_keys() const {
    const T* query = queries + threadIdx.x / 32 * 16 * kPitch;
#pragma unroll
    for (int n = 0; n < BLOCK_N; n += 16) {
      Sum score;
      nvcuda::wmma::fill_fragment(score, 0.0f);
#pragma unroll
      for (int d = 0; d < kWidth; d += 16) {
        Operand<nvcuda::wmma::matrix_a, nvcuda::wmma::row_major> a;
        Operand<nvcuda::wmma::matrix_b, nvcuda::wmma::col_major> b;
        nvcuda::wmma::load_matrix_sync(a, query + d, kPitch);
        nvcuda::wmma::load_matrix_sync(b, keys + n * kPitch + d, kPitch);
        nvcuda::wmma::mma_sync(score, a, b, score);
      }
      nvcuda::wmma::store_matrix_sync(floats + n, score, kFloatPitch, nvcuda::wmma::mem_row_major);
    }
    __syncwarp();
  }

  /// p = exp2(factor * score - largest) of the first `seen` keys of the tile, 0 of the others, goes to `weights`. Gives
  /// the factor for what was summed under a smaller maximum. A row that has seen no visible key yet keeps largest =
  /// -inf, and 0 stands in for it: exp2(-inf - -inf) would be NaN.
  __device__ float exponentiate(int seen, float factor) {
    const float* scores = floats + row * kFloatPitch;
    float here = -harness::kInfinity;
#pragma unroll
    for (int j = 0; j < BLOCK_N; j += 8) {
      const int n = j + 4 * half;
      const harness::Vec<float, 4> score = harness::load<4>(scores + n);
#pragma unroll
      for (int e = 0; e < 4; ++e)
        if (n + e < seen) here = fmaxf(here, score.at[e]);
    }
    here = fmaxf(here, __shfl_xor_sync(0xffffffffu, here, 1));
    here = fmaxf(largest, factor * here);
    const float base = here == -harness::kInfinity ? 0.0f : here;
    const float rescale = exp2f(largest - base);
    largest = here;
    sum *= rescale;
#pragma unroll
    for (int j = 0; j < BLOCK_N; j += 8) {
      const int n = j + 4 * half;
      const harness::Vec<float, 4> score = harness::load<4>(scores + n);
      harness::Vec<T, 4> p;
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float weight = n + e < seen ? exp2f(fmaf(score.at[e], factor, -base)) : 0.0f;
        sum += weight;
        p.at[e] = harness::from_float<T>(weight);
      }
      harness::store(weights + row * kWeightPitch + n, p);
    }
    __syncwarp();
    return rescale;
  }

  /// P V of this warp's rows, to `floats`.
  __device__ void multiply_values() const {
#pragma unroll
    for (int d = 0; d < kWidth; d += 16) {
      Sum product;
      nvcuda::wmma::fill_fragment(product, 0.0f);
#pragma unroll
      for (int n = 0; n < BLOCK_N; n += 16) {
        Operand<nvcuda::wmma::matrix_a, nvcuda::wmma::row_major> a;
        Operand<nvcuda::wmma::matrix_b, nvcuda::wmma::row_major> b;
        nvcuda::wmma::load_matrix_sync(a, weights + n, kWeightPitch);
        nvcuda::wmma::load_matrix_sync(b, values + n * kPitch + d, kPitch);
        nvcuda::wmma::mma_sync(product, a, b, product);
      }
      nvcuda::wmma::store_matrix_sync(floats + d, product, kFloatPitch, nvcuda::wmma::mem_row_major);
    }
    __syncwarp();
  }

  /// out = out * rescale + P V for this lane's half of its row.
  __device__ void add(float rescale) {
#pragma unroll
    for (int c = 0; c < kColumns; c += 4) {
      const harness::Vec<float, 4> product = harness::load<4>(floats + row * kFloatPitch + 2 * c + 4 * half);
#pragma unroll
      for (int e = 0; e < 4; ++e) out[c + e] = out[c + e] * rescale + product.at[e];
    }
    __syncwarp();  // the next scores go where this was read
  }
};

template <class T, int D, int WARPS, int BLOCK_N, int PAD>
__global__ void __launch_bounds__(32 * WARPS, 1)
    attention_wmma(const T* q, const T* k, const T* v, T* o, float* lse, float scale, int Hq, int Hkv, int Sq, int Sk,
                   int causal) {
  using Tile = WmmaTile<T, D, WARPS, BLOCK_N, PAD>;
  extern __shared__ float4 shared_memory[];
  const int first_query = blockIdx.x * Tile::kBlockM;
  const int queries = min(Tile::kBlockM, Sq - first_query);
  const long long head = static_cast<long long>(blockIdx.z) * Hq + blockIdx.y;
  const long long kv_head = static_cast<long long>(blockIdx.z) * Hkv + blockIdx.y / (Hq / Hkv);
  const long long first_of_out = head * Sq + first_query;

  // Row r of the tile sees key j iff j <= r + diagonal; the last row decides where the block may stop.
  const int diagonal = causal ? first_query + Sk - Sq : Sk;
  const int end = min(Sk, max(0, diagonal + queries));

  Tile tile(reinterpret_cast<char*>(shared_memory));
  Tile::template fill<Tile::kBlockM>(tile.queries, q + first_of_out * D, queries);
  tile.attend(k + kv_head * Sk * D, v + kv_head * Sk * D, end, diagonal, scale * 1.4426950408889634f);

  const float sum = tile.sum + __shfl_xor_sync(0xffffffffu, tile.sum, 1);
  const int own = threadIdx.x / 32 * 16 + tile.row;
  if (own >= queries) return;
  const float inverse = sum > 0 ? 1.0f / sum : 0.0f;  // a row that sees no key is 0
#pragma unroll
  for (int c = 0; c < Tile::kColumns; c += 4) {
    harness::Vec<T, 4> out;
#pragma unroll
    for (int e = 0; e < 4; ++e) out.at[e] = harness::from_float<T>(tile.out[c + e] * inverse);
    harness::store(o + (first_of_out + own) * D + 2 * c + 4 * tile.half, out);
  }
  if (lse && tile.half == 0)
    lse[first_of_out + own] = sum > 0 ? tile.largest * 0.6931471805599453f + logf(sum) : -harness::kInfinity;
}
