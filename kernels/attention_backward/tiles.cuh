#pragma once
#include <harness/convert.cuh>

// Products of tiles of 64 x 64 in the numbers N (double or float), for the reference and the generators; variants have
// their own. A block has 128 threads; thread (x, y) of 8 by 16 has 4 rows and 8 columns of a result, in pairs that one
// load brings: 32 sums, to which a slice of kDeep terms is added at a time. Two elements more than 64 keep rows of
// shared memory in different banks.
constexpr int kTile = 64, kPitch = kTile + 2, kThreads = 128, kDeep = 8, kOfRows = 4, kOfColumns = 8;

__device__ inline int row_of(int i) {
  return 2 * (threadIdx.x / 8) + 32 * (i / 2) + i % 2;
}
__device__ inline int column_of(int j) {
  return 2 * (threadIdx.x % 8) + 16 * (j / 2) + j % 2;
}

template <class N>
struct Sums {
  N at[kOfRows][kOfColumns] = {};
};

template <class N>
struct alignas(16) Slices {
  N left[kDeep][kPitch], right[kDeep][kPitch];

  __device__ void multiply(Sums<N>& sums) const {
#pragma unroll
    for (int d = 0; d < kDeep; ++d)
#pragma unroll
      for (int i = 0; i < kOfRows; ++i)
#pragma unroll
        for (int j = 0; j < kOfColumns; ++j) sums.at[i][j] += left[d][row_of(i)] * right[d][column_of(j)];
  }
};

/// sums[r][c] += <row r of a, row c of b>: tiles of rows of D elements, of which `a_rows` and `b_rows` are there.
template <int D, class N, class T>
__device__ void multiply_rows(Sums<N>& sums, Slices<N>& slices, const T* a, long long a_rows, const T* b,
                              long long b_rows) {
  for (int first = 0; first < D; first += kDeep) {
    __syncthreads();
#pragma unroll
    for (int at = threadIdx.x; at < kTile * kDeep; at += kThreads) {
      const int r = at / kDeep, d = at % kDeep;
      slices.left[d][r] = r < a_rows ? static_cast<N>(harness::to_float(a[r * D + first + d])) : N(0);
      slices.right[d][r] = r < b_rows ? static_cast<N>(harness::to_float(b[r * D + first + d])) : N(0);
    }
    __syncthreads();
    slices.multiply(sums);
  }
}

/// sums[r][c] += sum over t of factor[t][r] * x[t][c], 64 columns of `x`, whose rows are D elements apart and of which
/// `rows` are there.
template <int D, class N, class T>
__device__ void multiply_columns(Sums<N>& sums, Slices<N>& slices, const N (&factor)[kTile][kPitch], const T* x,
                                 long long rows) {
  for (int first = 0; first < kTile; first += kDeep) {
    __syncthreads();
#pragma unroll
    for (int at = threadIdx.x; at < kTile * kDeep; at += kThreads) {
      const int t = at / kTile, c = at % kTile;
      slices.left[t][c] = factor[first + t][c];
      slices.right[t][c] = first + t < rows ? static_cast<N>(harness::to_float(x[(first + t) * D + c])) : N(0);
    }
    __syncthreads();
    slices.multiply(sums);
  }
}

/// With fewer query-key pairs than this each row has a thread of its own: tiles would be mostly empty, and threads few.
/// kernel.lua counts the threads by the same number.
constexpr long long kFewPairs = 1 << 22;
__device__ inline bool are_few(long long B, long long Hq, long long Sq, long long Sk) {
  return B * Hq * Sq * Sk < kFewPairs;
}

template <class N, int D, class T>
__device__ N dot(const T* a, const T* b) {
  N sum = 0;
#pragma unroll 8
  for (int d = 0; d < D; ++d) sum += static_cast<N>(harness::to_float(a[d])) * static_cast<N>(harness::to_float(b[d]));
  return sum;
}

/// Who sees whom.
struct Place {
  long long Sq, Sk;
  bool causal;

  /// How many keys row i of a head sees.
  __device__ long long visible(long long i) const {
    return causal ? min(Sk, max(0LL, i + Sk - Sq + 1)) : Sk;
  }
  /// The first row that sees key j; Sq or more where none does.
  __device__ long long first_that_sees(long long j) const { return causal ? max(0LL, j - (Sk - Sq)) : 0; }
  __device__ bool sees(long long i, long long j) const { return i < Sq && j < visible(i); }
};
