#include <harness/mbarrier.cuh>
#include <harness/multicast.cuh>
#include <harness/quad.cuh>
#include <harness/tma.cuh>
#include <harness/warp.cuh>
#include <harness/warpgroup.cuh>
#include <harness/wgmma_fp8.cuh>

// Idea (playbook 106, 107, 110): wgmma multiplies e4m3 straight from shared memory. One warpgroup only asks TMA for
// slices of a and b, 128 of K and so 128 bytes deep, as far ahead as there are stages; the others have 64 rows by 128
// columns of d each, and only multiply and add.
//
// Two things ask for the sums to leave the tensor cores after each slice: they have new scales, and the tensor cores
// add with 14 bits. So a slice's products start from nothing, and when they are done a lane multiplies each of its 64
// by the scales of its row and block and adds them up in fp32. That takes the multiply-add units a quarter of the
// tensor cores' time, and happens to one warpgroup while the tensor cores work for another.
//
// With CLUSTER = 2 two blocks, one below the other, need the same slices of b, and each loads half for both: at 128 x
// 128 the L2 delivers no more than two thirds of what the tensor cores take; sharing saves a quarter of it.
//
// Blocks stay and take one tile after the other, so slices of the next are under way while one is stored.
//
// Stops: at what the L2 delivers, and where a warpgroup waits for its own sums and nobody else has products.

namespace {

constexpr int kDeep = 128, kColumns = 128;  // of a slice, in elements, which are bytes

/// Tiles go down in bands of `group` before they go right, as in gemm: what runs at the same time lies in a square.
struct TileOrder {
  int tiles_m, tiles_n, group;
  __device__ int count() const { return tiles_m * tiles_n; }
  __device__ int2 tile(int n) const {
    const int band = n / (group * tiles_n), within = n - band * group * tiles_n;
    const int rows = min(group, tiles_m - band * group);
    return {band * group + within % rows, within / rows};
  }
};

}  // namespace

template <int WARPGROUPS, int STAGES, int CLUSTER>
__global__ void __launch_bounds__(128 * (WARPGROUPS + 1), 1)
    gemm_fp8_specialized(const __grid_constant__ harness::TensorMap a_map,
                         const __grid_constant__ harness::TensorMap b_map, const float* a_scale, const float* b_scale,
                         __nv_bfloat16* d, int M, int N, int K, int group) {
  constexpr int kRows = 64 * WARPGROUPS, kStage = (kRows + kColumns) * kDeep;
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  __shared__ harness::Mbarrier full[STAGES], empty[STAGES];
  // The blocks of a cluster have tiles one below the other.
  const TileOrder order{(M + CLUSTER * kRows - 1) / (CLUSTER * kRows), (N + kColumns - 1) / kColumns, group};
  const int rank = CLUSTER == 1 ? 0 : static_cast<int>(harness::cluster_rank());
  const int slices = K / kDeep;

  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      harness::mbarrier_init(&full[s], 1);
      harness::mbarrier_init(&empty[s], 4 * WARPGROUPS * CLUSTER);  // the warps that compute, in all blocks
    }
    harness::mbarrier_init_fence();
  }
  if constexpr (CLUSTER == 1) __syncthreads();
  else harness::cluster_sync();

  if (threadIdx.x < 128) {
    harness::give_registers<WARPGROUPS == 3 ? 32 : 24>();
    int stage = 0, parity = 1;
    for (int n = blockIdx.x / CLUSTER; threadIdx.x == 0 && n < order.count(); n += gridDim.x / CLUSTER) {
      const int2 tile = order.tile(n);
      for (int slice = 0; slice < slices; ++slice) {
        unsigned char* const of_a = shared_memory + stage * kStage;
        unsigned char* const of_b = of_a + kRows * kDeep;
        harness::mbarrier_wait(&empty[stage], parity);
        harness::mbarrier_arrive_expect(&full[stage], kStage);
        harness::tma_load(of_a, a_map, &full[stage], slice * kDeep, (tile.x * CLUSTER + rank) * kRows);
        if constexpr (CLUSTER == 1) {
          harness::tma_load(of_b, b_map, &full[stage], slice * kDeep, tile.y * kColumns);
        } else {
          constexpr int kPart = kColumns / CLUSTER;
          harness::tma_load_multicast(of_b + rank * kPart * kDeep, b_map, &full[stage], (1 << CLUSTER) - 1,
                                      slice * kDeep, tile.y * kColumns + rank * kPart);
        }
        if (++stage == STAGES) stage = 0, parity ^= 1;
      }
    }
    if constexpr (CLUSTER > 1) {
      __syncwarp();
      harness::cluster_sync();  // the last loads of the others have come, and their arrivals
    }
    return;
  }

  harness::take_registers<WARPGROUPS == 3 ? 160 : 240>();
  const int warpgroup = harness::uniform(threadIdx.x / 128 - 1), lane = threadIdx.x % 32;
  int stage = 0, parity = 0;
  for (int n = blockIdx.x / CLUSTER; n < order.count(); n += gridDim.x / CLUSTER) {
    const int2 tile = order.tile(n);
    const int first_row = (tile.x * CLUSTER + rank) * kRows + 64 * warpgroup;
    const int row = first_row + 16 * (threadIdx.x / 32 % 4) + lane / 4, first_column = tile.y * kColumns;
    const float* const low = a_scale + min(row, M - 1);
    const float* const high = a_scale + min(row + 8, M - 1);
    const float* const of_columns = b_scale + tile.y * slices;
    float sum[64] = {}, part[64];
    for (int slice = 0; slice < slices; ++slice) {
      const float columns = of_columns[slice];  // on their way while the slice is
      const float scale[2] = {low[static_cast<long long>(slice) * M], high[static_cast<long long>(slice) * M]};
      harness::mbarrier_wait(&full[stage], parity);
      const unsigned char* const at = shared_memory + stage * kStage;
      const unsigned long long of_a = harness::wgmma_descriptor(at + 64 * warpgroup * kDeep);
      const unsigned long long of_b = harness::wgmma_descriptor(at + kRows * kDeep);
      harness::wgmma_fence();
#pragma unroll
      for (int step = 0; step < 4; ++step)
        harness::wgmma<__nv_fp8_e4m3, kColumns>(part, harness::wgmma_advance(of_a, 32 * step),
                                                harness::wgmma_advance(of_b, 32 * step), step > 0);
      harness::wgmma_commit();
      harness::wgmma_wait<0>();
      harness::wgmma_pin(part);
      // A lane for each block of the cluster says there that its warp has read the slice.
      if constexpr (CLUSTER == 1) {
        if (lane == 0) harness::mbarrier_arrive(&empty[stage]);
      } else if (lane < CLUSTER) {
        harness::mbarrier_arrive_at(&empty[stage], lane);
      }
      if (++stage == STAGES) stage = 0, parity ^= 1;
#pragma unroll
      for (int i = 0; i < 64; ++i) sum[i] += part[i] * (scale[i / 2 % 2] * columns);
    }

    // 32 columns at a time: the four lanes that share a row exchange pairs, and each has 16 bytes of it.
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
        const int column = first_column + 32 * v + lane % 4 * 8;
        if (row + 8 * h < M && column < N)
          *reinterpret_cast<uint4*>(d + static_cast<long long>(row + 8 * h) * N + column) = {word[0], word[1], word[2],
                                                                                             word[3]};
      }
  }
  if constexpr (CLUSTER > 1) {
    __syncwarp();
    harness::cluster_sync();
  }
}
