#include <harness/convert.cuh>
#include <harness/vec.cuh>
#include <harness/warp.cuh>

// Idea: 20_registers, with three things taken out of the way between the last load and the last store.
//
// Many rows: blocks stay, and the loads of the next AHEAD rows are under way while a row waits for its other warps and
// is stored. A block that begins, loads, meets, stores and ends leaves the memory alone for half of that time, unless
// others of its multiprocessor happen to be at another point.
//
// Rows of x that begin at a multiple of XVEC elements only (a distance of 4,100): x is read in pieces of XVEC, and the
// other tensors, which are dense, 16 bytes a lane. 20_registers makes all of them as narrow.
//
// Few rows: the time is that of the way of one row through a block, so it is kept short. Warps meet once, with their
// maxima and their sums of squares; codes need the maximum alone, so that one warp adds up the sums under the stores of
// the others. The maximum of a warp is one instruction, because floats that are not negative are ordered as their bits
// are. One quotient is correctly rounded by two
// multiply-adds from the row's reciprocal (Markstein): the exact remainder of a first quotient, times the reciprocal.
// It is rounded to a code by adding 1.5 * 2^23, whose last byte is then the code; no conversion, no clamp: no element
// is larger than the largest.
//
// Cost: AHEAD + 1 rows in registers. Stops: at the bandwidth of memory for reading and writing in turns; with few rows
// at a launch, a trip to memory, a meeting and a store.

/// VEC columns of a thread, several times.
template <class T, int VEC, int CHUNKS>
struct Columns {
  harness::Vec<T, VEC> added[CHUNKS], sum[CHUNKS];
};

template <class T, int THREADS, int XVEC, int AHEAD, int COLUMNS>
struct Norm {
  static constexpr int kVec = 16 / sizeof(T), kWarps = THREADS / 32;
  static constexpr int kChunks = (COLUMNS + THREADS * kVec - 1) / (THREADS * kVec);
  using Held = Columns<T, kVec, kChunks>;

  const T* x;
  T* residual;
  signed char* q;
  float* scale;
  float eps;
  int ldx;
  unsigned (&largest_of)[2][kWarps];  // by turns: a row's are read while the next one's are written
  float (&squares_of)[2][kWarps];

  __device__ static int column_of(int chunk) { return (chunk * THREADS + threadIdx.x) * kVec; }
  __device__ static bool has(int chunk) { return column_of(chunk) < COLUMNS; }

  __device__ void load(Held& held, long long row) const {
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      if (!has(c)) continue;
      held.sum[c] = harness::load<kVec>(residual + row * COLUMNS + column_of(c));
#pragma unroll
      for (int i = 0; i < kVec; i += XVEC) {
        const auto piece = harness::load<XVEC>(x + row * ldx + column_of(c) + i);
#pragma unroll
        for (int e = 0; e < XVEC; ++e) held.added[c].at[i + e] = piece.at[e];
      }
    }
  }

  __device__ void finish(Held& held, long long row, int turn) const {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float squares = 0, largest = 0;
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      if (!has(c)) continue;
#pragma unroll
      for (int i = 0; i < kVec; ++i) {
        T& sum = held.sum[c].at[i];
        sum = harness::from_float<T>(harness::to_float(held.added[c].at[i]) + harness::to_float(sum));
        const float r = harness::to_float(sum);  // rounded: the norm is of what is stored
        squares += r * r;
        largest = fmaxf(largest, fabsf(r));
      }
      harness::store(residual + row * COLUMNS + column_of(c), held.sum[c]);
    }
    unsigned bits = __reduce_max_sync(0xffffffffu, __float_as_uint(largest));
    squares = harness::warp_sum(squares);
    if (lane == 0) {
      largest_of[turn][warp] = bits;
      squares_of[turn][warp] = squares;
    }
    __syncthreads();
    bits = 0;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) bits = max(bits, largest_of[turn][w]);
    largest = __uint_as_float(bits);

    // The norm cancels in y / scale = residual * 127 / max|residual|. In a row of zeros every code is 0 / 1.
    const float divisor = largest > 0 ? largest : 1.0f;
    // Both sides of the quotient times a power of two, so that no step leaves the normal numbers.
    const unsigned exponent = min(max(__float_as_uint(divisor) >> 23, 8u), 253u);
    const float unit = __uint_as_float((254u - exponent) << 23), inverse = 1.0f / (divisor * unit);
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      if (!has(c)) continue;
      harness::Vec<unsigned, kVec / 4> codes;
#pragma unroll
      for (int i = 0; i < kVec; i += 4) {
        unsigned code[4];
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const float wanted = harness::to_float(held.sum[c].at[i + e]) * (127.0f * unit);
          const float first = wanted * inverse;
          const float quotient = fmaf(fmaf(-first, divisor * unit, wanted), inverse, first);
          code[e] = __float_as_uint(quotient + 12582912.0f);
        }
        codes.at[i / 4] =
            __byte_perm(__byte_perm(code[0], code[1], 0x0040), __byte_perm(code[2], code[3], 0x0040), 0x5410);
      }
      harness::store(reinterpret_cast<unsigned*>(q + row * COLUMNS + column_of(c)), codes);
    }

    if (warp != 0) return;  // the others are on their way to the next row
    if constexpr (kWarps > 1) squares = harness::warp_sum<kWarps>(squares_of[turn][lane % kWarps]);
    if (threadIdx.x == 0) scale[row] = largest / sqrtf(squares / COLUMNS + eps) / 127.0f;
  }
};

template <class T, int THREADS, int XVEC, int AHEAD, int COLUMNS>
__global__ void __launch_bounds__(THREADS)
    rmsnorm_ahead(const T* x, T* residual, signed char* q, float* scale, float eps, int rows, int ldx) {
  using Rows = Norm<T, THREADS, XVEC, AHEAD, COLUMNS>;
  __shared__ unsigned largest_of[2][Rows::kWarps];
  __shared__ float squares_of[2][Rows::kWarps];
  const Rows norm{x, residual, q, scale, eps, ldx, largest_of, squares_of};
  typename Rows::Held held[AHEAD + 1];
  const int step = gridDim.x;
#pragma unroll
  for (int i = 0; i < AHEAD; ++i)
    if (const int row = blockIdx.x + i * step; row < rows) norm.load(held[i], row);
  int turn = 0;
  for (int first = blockIdx.x; first < rows; first += (AHEAD + 1) * step)
#pragma unroll
    for (int i = 0; i <= AHEAD; ++i, turn ^= 1) {  // held[i] is a name, not an index
      const int row = first + i * step, next = row + AHEAD * step;
      if (row >= rows) return;
      if (next < rows) norm.load(held[(i + AHEAD) % (AHEAD + 1)], next);
      norm.finish(held[i], row, turn);
    }
}
