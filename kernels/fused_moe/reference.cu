#include <harness/convert.cuh>

// The mixture in double, by its definition; nothing is rounded. Five launches: which experts a token chose, the rows of
// each expert, both products of each expert's rows, the weighted sums.
//
// A *pair* is a token with one of the experts that it goes through: pair = token * chosen experts + which of them. Rows
// are pairs sorted by expert; `pairs` says which pair a row is, begin[e] where expert e begins.

namespace {

using Bf16 = __nv_bfloat16;

constexpr int kThreads = 128, kRows = 32, kColumns = 64, kDeep = 16, kOfRows = 4, kOfColumns = 4;

/// A block's tile of rows of one expert. Blocks go through the tiles of columns first, then through those of rows,
/// expert by expert.
struct Tile {
  int expert = -1, first = 0, end = 0, column = 0;

  __device__ Tile(const int* begin, long long experts, long long columns) {
    const long long across = (columns + kColumns - 1) / kColumns;
    long long down = blockIdx.x / across;
    column = static_cast<int>(blockIdx.x % across) * kColumns;
    for (int e = 0; e < experts; ++e) {
      const int tiles = (begin[e + 1] - begin[e] + kRows - 1) / kRows;
      if (down < tiles) {
        expert = e;
        first = begin[e] + static_cast<int>(down) * kRows;
        end = begin[e + 1];
        return;
      }
      down -= tiles;
    }
  }
};

struct Slices {
  double left[kDeep][kRows + 1], right[2][kDeep][kColumns + 1];
};

/// sum[part][i][j] += left row (y + 8 i) times row (x + 16 j) of a right factor. `left(row, k)` and `right(part,
/// column, k)` are elements, 0 outside.
template <int PARTS, class Left, class Right>
__device__ void multiply(double (&sum)[PARTS][kOfRows][kOfColumns], Slices& s, long long depth, Left left,
                         Right right) {
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  for (long long k = 0; k < depth; k += kDeep) {
    for (int at = threadIdx.x; at < kRows * kDeep; at += kThreads)
      s.left[at % kDeep][at / kDeep] = k + at % kDeep < depth ? left(at / kDeep, k + at % kDeep) : 0;
    for (int part = 0; part < PARTS; ++part)
      for (int at = threadIdx.x; at < kColumns * kDeep; at += kThreads)
        s.right[part][at % kDeep][at / kDeep] = k + at % kDeep < depth ? right(part, at / kDeep, k + at % kDeep) : 0;
    __syncthreads();
#pragma unroll
    for (int deep = 0; deep < kDeep; ++deep)
#pragma unroll
      for (int part = 0; part < PARTS; ++part)
#pragma unroll
        for (int i = 0; i < kOfRows; ++i)
#pragma unroll
          for (int j = 0; j < kOfColumns; ++j)
            sum[part][i][j] += s.left[deep][y + 8 * i] * s.right[part][deep][x + 16 * j];
    __syncthreads();
  }
}

__device__ double real(Bf16 x) {
  return static_cast<double>(harness::to_float(x));
}

/// Whether a thread takes an element alone: tiles of a few rows would be empty for the most part.
__device__ bool are_few(long long rows, long long H, long long I) {
  return rows * H * I <= 1 << 26;
}
/// What a thread then does: the product of two rows.
template <class Left>
__device__ double dot(const Left* a, const Bf16* b, long long depth) {
  double sum = 0;
  for (long long k = 0; k < depth; ++k) {
    if constexpr (sizeof(Left) == 2) sum += real(a[k]) * real(b[k]);
    else sum += a[k] * real(b[k]);
  }
  return sum;
}

__device__ double swiglu(double gate, double up) {
  return gate / (1 + exp(-gate)) * up;
}

}  // namespace

#define PARAMETERS                                                                                                    \
  const Bf16 *x, const float *logits, const int *offsets, const Bf16 *gate_up, const Bf16 *down, double *y,           \
      long long T, long long H, long long I, long long E, long long K, long long shared, long long routed, long long, \
      int *chosen, double *weight, int *pairs, int *begin, double *inner, double *outer

/// A thread a token: its experts and their weights, largest first.
__global__ void choose(PARAMETERS) {
  const long long token = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x, all = K + shared;
  if (token >= T) return;
  if (!routed) {
    int expert = 0;
    while (offsets[expert + 1] <= token) ++expert;
    chosen[token] = expert;
    weight[token] = 1;
    return;
  }
  const float* const own = logits + token * E;
  double total = 0;
  for (int k = 0; k < K; ++k) {
    int best = -1;
    for (int e = 0; e < E; ++e) {
      bool taken = false;
      for (int before = 0; before < k; ++before) taken |= chosen[token * all + before] == e;
      if (!taken && (best < 0 || own[e] > own[best])) best = e;
    }
    chosen[token * all + k] = best;
    weight[token * all + k] = exp(static_cast<double>(own[best]) - own[chosen[token * all]]);
    total += weight[token * all + k];
  }
  for (int k = 0; k < K; ++k) weight[token * all + k] /= total;
  if (!shared) return;
  chosen[token * all + K] = static_cast<int>(E);
  weight[token * all + K] = 1;
}

/// A thread an expert: where it begins, and its pairs in the order of tokens.
__global__ void order(PARAMETERS) {
  const long long expert = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x, count = T * (K + shared);
  if (expert > E + shared) return;
  int before = 0;
  for (long long pair = 0; pair < count; ++pair) before += chosen[pair] < expert;
  begin[expert] = before;
  for (long long pair = 0; pair < count; ++pair)
    if (chosen[pair] == expert) pairs[before++] = static_cast<int>(pair);
}

__global__ void inner_products(PARAMETERS) {
  __shared__ Slices slices;
  if (are_few(T * (K + shared), H, I)) {
    const long long at = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x, row = at / I;
    if (row >= T * (K + shared)) return;
    const Bf16* const own = x + pairs[row] / (K + shared) * H;
    const Bf16* const weights = gate_up + (2 * chosen[pairs[row]] * I + at % I) * H;
    inner[at] = swiglu(dot(own, weights, H), dot(own, weights + I * H, H));
    return;
  }
  const Tile tile(begin, E + shared, I);
  if (tile.expert < 0) return;
  const Bf16* const weights = gate_up + tile.expert * 2 * I * H;
  double sum[2][kOfRows][kOfColumns] = {};
  multiply(
      sum, slices, H,
      [&](int row, long long k) {
        return tile.first + row < tile.end ? real(x[pairs[tile.first + row] / (K + shared) * H + k]) : 0.0;
      },
      [&](int part, int column, long long k) {
        return tile.column + column < I ? real(weights[(part * I + tile.column + column) * H + k]) : 0.0;
      });
  for (int i = 0; i < kOfRows; ++i)
    for (int j = 0; j < kOfColumns; ++j) {
      const long long row = tile.first + threadIdx.x / 16 + 8 * i, column = tile.column + threadIdx.x % 16 + 16 * j;
      if (row >= tile.end || column >= I) continue;
      inner[row * I + column] = swiglu(sum[0][i][j], sum[1][i][j]);
    }
}

__global__ void outer_products(PARAMETERS) {
  __shared__ Slices slices;
  if (are_few(T * (K + shared), H, I)) {
    const long long at = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x, row = at / H;
    if (row >= T * (K + shared)) return;
    outer[pairs[row] * H + at % H] = dot(inner + row * I, down + (chosen[pairs[row]] * H + at % H) * I, I);
    return;
  }
  const Tile tile(begin, E + shared, H);
  if (tile.expert < 0) return;
  const Bf16* const weights = down + tile.expert * H * I;
  double sum[1][kOfRows][kOfColumns] = {};
  multiply(
      sum, slices, I,
      [&](int row, long long k) { return tile.first + row < tile.end ? inner[(tile.first + row) * I + k] : 0.0; },
      [&](int, int column, long long k) {
        return tile.column + column < H ? real(weights[(tile.column + column) * I + k]) : 0.0;
      });
  for (int i = 0; i < kOfRows; ++i)
    for (int j = 0; j < kOfColumns; ++j) {
      const long long row = tile.first + threadIdx.x / 16 + 8 * i, column = tile.column + threadIdx.x % 16 + 16 * j;
      if (row < tile.end && column < H) outer[pairs[row] * H + column] = sum[0][i][j];
    }
}

__global__ void add_up(PARAMETERS) {
  const long long at = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= T * H) return;
  double total = 0;
  for (long long pair = at / H * (K + shared); pair < (at / H + 1) * (K + shared); ++pair)
    total += weight[pair] * outer[pair * H + at % H];
  y[at] = total;
}
