#pragma once

#include "shared_wave.cuh"

// How the sums of pieces of one tile meet (shared_wave.cuh). Each block leaves its own in device memory, as fp32 and in
// the order in which the lanes hold them: so they are written and read in whole lines, and nobody turns them. Who comes
// last adds up all in the order of the pieces, always the same: the same bits every time. Nobody waits; and who finds
// that all others have come keeps its own sums in registers. Each warp does so with the warps that hold the same part of
// the tile in other blocks.
//
// Memory: two tiles of sums for each block, and a counter, 0 before the launch, for each warp of each tile.
template <int COUNT, int WARPS>
struct PartialSums {
  float4* sums;
  unsigned* counters;

  /// By a warp: whether it is the last with a piece of that tile, and now has the sums of all.
  __device__ bool complete(float (&sum)[COUNT], const SharedWave& wave, const Piece& piece, int warp) const {
    const SharedWave::Owners owners = wave.owners(piece.tile);
    unsigned* const counter = counters + piece.tile * WARPS + warp;
    // Two sums are the same in either order, and the first piece is where adding up begins: no need to read one's own.
    const bool keeps = piece.begin == 0 || owners.count == 2;
    if (!keeps || count(counter, 0) + 1 < owners.count) {
      leave(sum, place(wave.slot(piece.tile, wave.number()), warp));
      __threadfence();
      __syncwarp();
      if (count(counter, 1) + 1 < owners.count) return false;
    }
    __threadfence();
#pragma unroll
    for (int i = 0; i < COUNT; ++i)
      if (!keeps) sum[i] = 0;
    for (int owner = owners.first; owner < owners.first + owners.count; ++owner)
      if (!keeps || owner != wave.number()) add(sum, place(wave.slot(piece.tile, owner), warp));
    return true;
  }

 private:
  __device__ float4* place(int slot, int warp) const {
    return sums + (slot * WARPS + warp) * (COUNT / 4 * 32) + threadIdx.x % 32;
  }
  /// Those that have come before, `more` of which come now.
  __device__ static int count(unsigned* counter, unsigned more) {
    const unsigned before = threadIdx.x % 32 == 0 ? atomicAdd(counter, more) : 0;
    return static_cast<int>(__shfl_sync(0xffffffffu, before, 0));
  }
  __device__ static void leave(const float (&sum)[COUNT], float4* to) {
#pragma unroll
    for (int i = 0; i < COUNT; i += 4) to[i / 4 * 32] = {sum[i], sum[i + 1], sum[i + 2], sum[i + 3]};
  }
  __device__ static void add(float (&sum)[COUNT], const float4* from) {
#pragma unroll
    for (int i = 0; i < COUNT; i += 4) {
      const float4 four = from[i / 4 * 32];
      sum[i] += four.x, sum[i + 1] += four.y, sum[i + 2] += four.z, sum[i + 3] += four.w;
    }
  }
};
