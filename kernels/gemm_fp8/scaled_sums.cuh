#pragma once
#include <harness/mbarrier.cuh>
#include <harness/pack.cuh>
#include <harness/quad.cuh>
#include <harness/wgmma_fp8.cuh>

// What a warpgroup that computes does in every variant with TMA and wgmma: 64 rows by 128 columns of d.
//
// Two things ask for sums to leave the tensor cores after each slice of 128 of K: the next one has other scales, and
// the tensor cores add with 14 bits. So the products of a slice start from nothing; when they are done a lane
// multiplies its 64 by the scales of their rows and block and adds them up in fp32.

constexpr int kDeep = 128, kColumns = 128;  // of a slice, in elements, which are bytes

/// Slices of a, `rows` of a block deep, and behind them of b, as TMA writes them: places that are used in turns.
struct SliceRing {
  unsigned char* at;
  harness::Mbarrier *full, *empty;
  int stages, bytes;  // of a place
  int stage = 0, parity = 0;

  __device__ void next() {
    if (++stage == stages) stage = 0, parity ^= 1;
  }
};

/// The scales that a lane needs of a tile: of its two rows, and of the tile's columns.
struct LaneScales {
  const float *low, *high;  // a_scale of row lane / 4 of the warp's 16, and of the row 8 further
  const float* columns;     // b_scale of this block of columns
  int M;                    // from slice to slice of a_scale

  __device__ LaneScales(const float* a_scale, const float* b_scale, int row, int column, int M, int slices)
      : low(a_scale + min(row, M - 1)),
        high(a_scale + min(row + 8, M - 1)),
        columns(b_scale + column / kColumns * slices),
        M(M) {}
  /// Of a slice: of the low row, of the high row, of the columns. Nothing is computed: who asks need not wait yet.
  __device__ float3 of(int slice) const {
    return {low[static_cast<long long>(slice) * M], high[static_cast<long long>(slice) * M], columns[slice]};
  }
};

/// AHEAD: the products of the next slice are started before those of this one are scaled, so the tensor cores have work
/// meanwhile. That takes 64 registers more.
template <bool AHEAD>
struct ScaledSums {
  float sum[64] = {};

  /// Slices `begin` to `end`, at least one. `rows_of_a` and `of_b`: bytes from the start of a place to the warpgroup's
  /// rows of a, and to b. `give_back(stage)`: this warp has read the slice there.
  template <class GiveBack>
  __device__ void add_slices(SliceRing& ring, int rows_of_a, int of_b, const LaneScales& scales, int begin, int end,
                             GiveBack give_back) {
    float part[AHEAD ? 2 : 1][64];
    // Scales are a trip to the L2 away, which is longer than a slice: they are asked for a slice before theirs begins.
    float3 scale[2], coming = scales.of(begin);
    int oldest = ring.stage;
    const auto begin_slice = [&](float(&products)[64], int slice) {
      start(products, ring, rows_of_a, of_b);
      const float3 own = coming;
      coming = scales.of(min(slice + 1, end - 1));
      return own;
    };
    const auto finish = [&](float(&products)[64], float3 of) {
      const float low = of.x * of.z, high = of.y * of.z;
      harness::wgmma_pin(products);
      give_back(oldest);
      if (++oldest == ring.stages) oldest = 0;
#pragma unroll
      for (int i = 0; i < 64; ++i) sum[i] += products[i] * (i / 2 % 2 ? high : low);
    };
    if constexpr (AHEAD) {
      scale[0] = begin_slice(part[0], begin);
      for (int slice = begin;; slice += 2) {
        if (slice + 1 == end) return last(part[0], scale[0], finish);
        scale[1] = begin_slice(part[1], slice + 1);
        harness::wgmma_wait<1>();
        finish(part[0], scale[0]);
        if (slice + 2 == end) return last(part[1], scale[1], finish);
        scale[0] = begin_slice(part[0], slice + 2);
        harness::wgmma_wait<1>();
        finish(part[1], scale[1]);
      }
    } else {
      for (int slice = begin; slice < end; ++slice) {
        scale[0] = begin_slice(part[0], slice);
        last(part[0], scale[0], finish);
      }
    }
  }

  /// 32 columns at a time: the four lanes that share a row exchange pairs, and each stores 16 bytes of it.
  __device__ void store(__nv_bfloat16* d, int row, int first_column, int M, int N) const {
#pragma unroll
    for (int h = 0; h < 2; ++h)
#pragma unroll
      for (int v = 0; v < 4; ++v) {
        unsigned word[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const float* const two = &sum[16 * v + 4 * i + 2 * h];
          word[i] = harness::pack<__nv_bfloat16>(two[0], two[1]);
        }
        harness::transpose_quad(word);
        const int column = first_column + 32 * v + threadIdx.x % 4 * 8;
        if (row + 8 * h < M && column < N)
          *reinterpret_cast<uint4*>(d + static_cast<long long>(row + 8 * h) * N + column) = {word[0], word[1], word[2],
                                                                                             word[3]};
      }
  }

 private:
  template <class Finish>
  __device__ static void last(float (&products)[64], float3 by, Finish finish) {
    harness::wgmma_wait<0>();
    finish(products, by);
  }
  __device__ static void start(float (&part)[64], SliceRing& ring, int rows_of_a, int of_b) {
    harness::mbarrier_wait(&ring.full[ring.stage], ring.parity);
    const unsigned char* const at = ring.at + ring.stage * ring.bytes;
    const unsigned long long a = harness::wgmma_descriptor(at + rows_of_a), b = harness::wgmma_descriptor(at + of_b);
    harness::wgmma_fence();
#pragma unroll
    for (int step = 0; step < 4; ++step)
      harness::wgmma<__nv_fp8_e4m3, kColumns>(part, harness::wgmma_advance(a, 32 * step),
                                              harness::wgmma_advance(b, 32 * step), step > 0);
    harness::wgmma_commit();
    ring.next();
  }
};
