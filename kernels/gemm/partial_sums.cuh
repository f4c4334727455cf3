#pragma once

#include "shared_wave.cuh"

// How the sums of pieces of one tile meet (shared_wave.cuh). Each block leaves its own in device memory, as fp32 and in
// the order in which the lanes hold them: so they are written and read in whole lines, and nobody turns them. Who comes
// last adds up all in the order of the pieces, always the same: the same bits every time. Nobody waits; and who finds
// that all others have come keeps its own sums in registers. Each warp does so with the warps that hold the same part
// of the tile in other blocks.
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
    add_all(sum, wave, piece.tile, owners, keeps, warp);
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
  /// Adds the sums of all owners, but this block's own if it `keeps` them. Where registers allow it, those of the next
  /// owner are on their way while one's are added: each is a trip to the L2.
  __device__ void add_all(float (&sum)[COUNT], const SharedWave& wave, int tile, const SharedWave::Owners& owners,
                          bool keeps, int warp) const {
    if constexpr (COUNT <= 48) {
      const int others = owners.count - (keeps ? 1 : 0), own = wave.number() - owners.first;
      const auto load_of = [&](float4(&four)[COUNT / 4], int other) {
        const int owner = owners.first + other + (keeps && other >= own ? 1 : 0);
        const float4* const from = place(wave.slot(tile, owner), warp);
#pragma unroll
        for (int i = 0; i < COUNT / 4; ++i) four[i] = from[i * 32];
      };
      float4 coming[COUNT / 4], four[COUNT / 4];
      load_of(coming, 0);
      for (int other = 0; other < others; ++other) {
#pragma unroll
        for (int i = 0; i < COUNT / 4; ++i) four[i] = coming[i];
        if (other + 1 < others) load_of(coming, other + 1);
#pragma unroll
        for (int i = 0; i < COUNT / 4; ++i) add(sum, 4 * i, four[i]);
      }
    } else {
      for (int owner = owners.first; owner < owners.first + owners.count; ++owner) {
        if (keeps && owner == wave.number()) continue;
        const float4* const from = place(wave.slot(tile, owner), warp);
#pragma unroll
        for (int i = 0; i < COUNT / 4; ++i) add(sum, 4 * i, from[i * 32]);
      }
    }
  }
  __device__ static void add(float (&sum)[COUNT], int i, const float4& four) {
    sum[i] += four.x, sum[i + 1] += four.y, sum[i + 2] += four.z, sum[i + 3] += four.w;
  }
};
