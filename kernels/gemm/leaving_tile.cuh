#pragma once
#include <harness/ldmatrix.cuh>
#include <harness/tma_tile.cuh>

#include "epilogue.cuh"

// How a tile of sums leaves a warp in the background: part after part through PARTS places in shared memory, from where
// TMA stores it. A part is 16 rows of 128 bytes of d, swizzled by 128 bytes: the rows of the fragments that the warp
// has. So no warp waits for another one, and what a lane does for an element is to convert it and to write it, without
// conflicts between banks (stmatrix).
//
// What is multiplied or added to the sums, `other` or `residual` (one of them), comes by TMA into the place of the part
// that it belongs to, and is overwritten there. The first PARTS of a tile are asked for while the tile is multiplied.
template <class T, class Out, bool BIAS, bool GELU, bool SILU, bool OTHER, bool RESIDUAL, int ROWS, int BLOCK_N,
          int PARTS>
struct LeavingTile {
  static constexpr int kWide = 128 / sizeof(Out), kAcross = BLOCK_N / kWide, kAll = ROWS * kAcross;
  static constexpr int kBytes = 16 * 128, kAtOnce = PARTS < kAll ? PARTS : kAll;
  static constexpr int kBehind = PARTS > 1 ? 1 : 0;  // stores that may be on their way when a place is filled again
  static constexpr bool kReads = OTHER || RESIDUAL;
  static_assert(!(OTHER && RESIDUAL) && (!kReads || sizeof(Out) == 2), "one matrix, as wide as d");

  const harness::TensorMap &d_map, &source_map;
  const T* bias;
  int columns;            // of d
  unsigned char* places;  // of this warp, PARTS times kBytes
  harness::Mbarrier* arrived;
  int place = 0, parity = 0;

  /// Before anybody uses the barriers of a warp.
  __device__ static void init(harness::Mbarrier* arrived) {
    for (int p = 0; kReads && p < PARTS; ++p) harness::mbarrier_init(&arrived[p], 1);
  }

  /// By a warp, while it multiplies the tile in which its rows begin at `row`: asks for what store() reads first.
  __device__ void ask(int row, int column) const {
    if constexpr (kReads) {
      if (threadIdx.x % 32 == 0) {
        harness::bulk_wait_read<0>();  // of the tile before
        for (int part = 0; part < kAtOnce; ++part) ask_for(part, (place + part) % PARTS, row, column);
      }
      __syncwarp();
    }
  }

  /// `sum`: fragments of 64 rows by BLOCK_N columns each, 64 rows apart.
  __device__ void store(const float (&sum)[ROWS][BLOCK_N / 2], int row, int column) {
    const bool first = threadIdx.x % 32 == 0;
#pragma unroll
    for (int part = 0; part < kAll; ++part) {
      unsigned char* const at = places + place * kBytes;
      const int r = part / kAcross, left = part % kAcross * kWide;
      if constexpr (kReads) {
        harness::mbarrier_wait(&arrived[place], parity);
      } else {
        if (first) harness::bulk_wait_read<PARTS - 1>();  // what was stored from this place has been read
        __syncwarp();
      }
      write(at, &sum[r][left / 2], column + left);
      harness::async_proxy_fence();
      __syncwarp();
      if (first) {
        harness::tma_store(d_map, at, column + left, row + 64 * r);
        harness::bulk_commit();
        const int next = part - kBehind + PARTS;
        if (kReads && part >= kBehind && next < kAll) {
          harness::bulk_wait_read<kBehind>();
          ask_for(next, (place + PARTS - kBehind) % PARTS, row, column);
        }
      }
      if (++place == PARTS) place = 0, parity ^= 1;
    }
    __syncwarp();
  }

  /// Before the block ends.
  __device__ void end() const {
    if (threadIdx.x % 32 == 0) harness::bulk_wait_read<0>();
  }

 private:
  __device__ void ask_for(int part, int to, int row, int column) const {
    harness::mbarrier_arrive_expect(&arrived[to], kBytes);
    harness::tma_load(places + to * kBytes, source_map, &arrived[to], column + part % kAcross * kWide,
                      row + part / kAcross * 64);
  }

  __device__ float2 with_bias(float2 sum, int column) const {
    if constexpr (BIAS) {
      if (column + 1 < columns) {
        const auto pair = harness::load<2>(bias + column);
        sum.x += harness::to_float(pair.at[0]);
        sum.y += harness::to_float(pair.at[1]);
      } else if (column < columns) {
        sum.x += harness::to_float(bias[column]);
      }
    }
    return sum;
  }
  __device__ float2 finish(float2 sum, int column, unsigned source) const {
    using Plain = Epilogue<T, Out, BIAS, GELU, SILU, OTHER, RESIDUAL>;
    sum = with_bias(sum, column);
    sum = {Plain::activate(sum.x), Plain::activate(sum.y)};
    if constexpr (kReads) {
      const float2 read = harness::unpack<T>(source);
      if constexpr (OTHER) sum = {sum.x * read.x, sum.y * read.y};
      else sum = {sum.x + read.x, sum.y + read.y};
    }
    return sum;
  }

  /// Part `sum` of the fragments, whose first column is `column`, to its place.
  __device__ void write(unsigned char* at, const float* sum, int column) const {
    const int lane = threadIdx.x % 32, pair = lane % 4;
    if constexpr (sizeof(Out) == 2) {
      // Two times 8 columns of 16 rows are four matrices of 8 x 8; this lane has the address of a row of one of them.
      unsigned char* const line = at + (lane % 16) * 128;
#pragma unroll
      for (int j = 0; j < kWide / 8; j += 2) {
        unsigned char* const chunk = line + ((j + lane / 16) ^ (lane % 8)) * 16;
        unsigned word[4] = {};
        if constexpr (kReads) harness::ldmatrix_x4(word, chunk);
#pragma unroll
        for (int m = 0; m < 4; ++m) {
          const float* const two = sum + 4 * (j + m / 2) + 2 * (m % 2);
          const float2 value = finish({two[0], two[1]}, column + 8 * (j + m / 2) + 2 * pair, word[m]);
          word[m] = harness::pack<Out>(value.x, value.y);
        }
        harness::stmatrix_x4(chunk, word);
      }
    } else {
#pragma unroll
      for (int j = 0; j < kWide / 8; ++j)
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          const int line = lane / 4 + 8 * h;
          const float* const two = sum + 4 * j + 2 * h;
          *reinterpret_cast<float2*>(at + line * 128 + ((2 * j + pair / 2) ^ (line % 8)) * 16 + pair % 2 * 8) =
              finish({two[0], two[1]}, column + 8 * j + 2 * pair, 0);
        }
    }
  }
};
