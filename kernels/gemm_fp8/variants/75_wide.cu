#include <harness/multicast.cuh>
#include <harness/tma.cuh>
#include <harness/warp.cuh>
#include <harness/warpgroup.cuh>

#include "scaled_sums.cuh"

// Idea (playbook 108, 110): 70_specialized loads 32 KB for a product of 128 x 128 x 128, more than the L2 delivers in
// the time that the tensor cores need for it. Tiles of 128 x 256 load a quarter less for a product, and two blocks of a
// cluster, one below the other, that load halves of b for each other, half of that.
//
// A warpgroup has 64 rows and 256 columns, so it has no registers for two sets of products. It multiplies its two
// blocks of 128 columns one after the other and scales each when it is done; meanwhile the tensor cores have the
// products of the other warpgroup. Scaling takes a quarter of their time, so the two always find the other one
// multiplying: they fall into step by themselves.
//
// The scales of a's rows come by TMA with their slice, so that nobody waits for them either.
//
// Stops: at the tensor cores' rate under the power cap.

namespace {

constexpr int kWarpgroups = 2, kRows = 64 * kWarpgroups, kWide = 2 * kColumns;
constexpr int kSlice = (kRows + kWide) * kDeep, kScales = 4 * kRows;  // bytes of a stage, which lie apart

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

/// Of two warpgroups: the one whose turn it is starts products, then it is the other one's.
template <int TURNS>
struct Turns {
  int warpgroup;
  __device__ explicit Turns(int warpgroup) : warpgroup(warpgroup) {
    if (TURNS != 0 && warpgroup == 1) hand_on();
  }
  __device__ void wait() const {
    if constexpr (TURNS == 0) return;
    else if (warpgroup == 0) harness::named_barrier_sync<1>(256);
    else harness::named_barrier_sync<2>(256);
  }
  __device__ void hand_on() const {
    if constexpr (TURNS == 0) return;
    else if (warpgroup == 0) harness::named_barrier_arrive<2>(256);
    else harness::named_barrier_arrive<1>(256);
  }
};

/// The products of 64 rows of a and 128 columns of b, over a slice, times the scales, are added to `sum`.
/// `done()` is called when a and b have been read.
template <int TURNS, class Done>
__device__ inline void add_products(float (&sum)[64], const unsigned char* a, const unsigned char* b, float low,
                                    float high, const Turns<TURNS>& turns, Done done) {
  float part[64];
  const unsigned long long of_a = harness::wgmma_descriptor(a), of_b = harness::wgmma_descriptor(b);
  turns.wait();
  harness::wgmma_fence();
#pragma unroll
  for (int step = 0; step < 4; ++step)
    harness::wgmma<__nv_fp8_e4m3, kColumns>(part, harness::wgmma_advance(of_a, 32 * step),
                                            harness::wgmma_advance(of_b, 32 * step), step > 0);
  harness::wgmma_commit();
  turns.hand_on();
  harness::wgmma_wait<0>();
  harness::wgmma_pin(part);
  done();
#pragma unroll
  for (int i = 0; i < 64; ++i) sum[i] += part[i] * (i / 2 % 2 ? high : low);
}

}  // namespace

template <int STAGES, int CLUSTER, int TURNS>
__global__ void __launch_bounds__(128 * (kWarpgroups + 1), 1)
    gemm_fp8_wide(const __grid_constant__ harness::TensorMap a_map, const __grid_constant__ harness::TensorMap b_map,
                  const __grid_constant__ harness::TensorMap a_scale_map, const float* b_scale, __nv_bfloat16* d, int M,
                  int N, int K, int group) {
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  __shared__ harness::Mbarrier full[STAGES], empty[STAGES];
  float* const scales = reinterpret_cast<float*>(shared_memory + STAGES * kSlice);
  // The blocks of a cluster have tiles one below the other.
  const TileOrder order{(M + CLUSTER * kRows - 1) / (CLUSTER * kRows), (N + kWide - 1) / kWide, group};
  const int rank = CLUSTER == 1 ? 0 : static_cast<int>(harness::cluster_rank());
  const int slices = K / kDeep;

  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      harness::mbarrier_init(&full[s], 1);
      // The lanes here that read scales, and a lane for each warp that computes elsewhere.
      harness::mbarrier_init(&empty[s], 4 * kWarpgroups * (8 + CLUSTER - 1));
    }
    harness::mbarrier_init_fence();
  }
  if constexpr (CLUSTER == 1) __syncthreads();
  else harness::cluster_sync();

  if (threadIdx.x < 128) {
    harness::give_registers<24>();
    int stage = 0, parity = 1;
    for (int n = blockIdx.x / CLUSTER; threadIdx.x == 0 && n < order.count(); n += gridDim.x / CLUSTER) {
      const int2 tile = order.tile(n);
      const int row = (tile.x * CLUSTER + rank) * kRows, column = tile.y * kWide;
      for (int slice = 0; slice < slices; ++slice) {
        unsigned char* const of_a = shared_memory + stage * kSlice;
        unsigned char* const of_b = of_a + kRows * kDeep;
        harness::mbarrier_wait(&empty[stage], parity);
        harness::mbarrier_arrive_expect(&full[stage], kSlice + kScales);
        harness::tma_load(scales + stage * kRows, a_scale_map, &full[stage], row, slice);
        harness::tma_load(of_a, a_map, &full[stage], slice * kDeep, row);
        if constexpr (CLUSTER == 1) {
          harness::tma_load(of_b, b_map, &full[stage], slice * kDeep, column);
        } else {
          constexpr int kPart = kWide / CLUSTER;
          harness::tma_load_multicast(of_b + rank * kPart * kDeep, b_map, &full[stage], (1 << CLUSTER) - 1,
                                      slice * kDeep, column + rank * kPart);
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

  harness::take_registers<240>();
  const int warpgroup = harness::uniform(threadIdx.x / 128 - 1), lane = threadIdx.x % 32;
  const int own_row = 64 * warpgroup + 16 * (threadIdx.x / 32 % 4) + lane / 4;  // and the row 8 further
  const Turns<TURNS> turns(warpgroup);
  int stage = 0, parity = 0;
  const bool reads = lane % 4 == 0;  // scales of rows, for the lanes that share them
  // Who has read by ordinary loads speaks for itself; for what wgmma has read one lane speaks for a warp.
  const auto give_back = [&] {
    if (reads) harness::mbarrier_arrive(&empty[stage]);
    if constexpr (CLUSTER > 1)
      if (lane == 0) harness::mbarrier_arrive_at(&empty[stage], rank ^ 1);
    __syncwarp();
  };
  for (int n = blockIdx.x / CLUSTER; n < order.count(); n += gridDim.x / CLUSTER) {
    const int2 tile = order.tile(n);
    // Of the tile's two blocks of columns; the second may lie outside.
    const float* const left = b_scale + 2 * tile.y * slices;
    const float* const right = 2 * tile.y * kColumns + kColumns < N ? left + slices : left;
    ScaledSums<false> of_left, of_right;
    float of_columns[2] = {left[0], right[0]};
    for (int slice = 0; slice < slices; ++slice) {
      harness::mbarrier_wait(&full[stage], parity);
      const unsigned char* const a = shared_memory + stage * kSlice + 64 * warpgroup * kDeep;
      const unsigned char* const b = shared_memory + stage * kSlice + kRows * kDeep;
      float low = 0, high = 0;
      if (reads) low = scales[stage * kRows + own_row], high = scales[stage * kRows + own_row + 8];
      low = __shfl_sync(0xffffffffu, low, lane & ~3);
      high = __shfl_sync(0xffffffffu, high, lane & ~3);
      add_products(of_left.sum, a, b, low * of_columns[0], high * of_columns[0], turns, [] {});
      add_products(of_right.sum, a, b + kColumns * kDeep, low * of_columns[1], high * of_columns[1], turns, give_back);
      const int next = min(slice + 1, slices - 1);
      of_columns[0] = left[next];
      of_columns[1] = right[next];
      if (++stage == STAGES) stage = 0, parity ^= 1;
    }
    const int row = (tile.x * CLUSTER + rank) * kRows + own_row;
    of_left.store(d, row, tile.y * kWide, M, N);
    of_right.store(d, row, tile.y * kWide + kColumns, M, N);
  }
  if constexpr (CLUSTER > 1) {
    __syncwarp();
    harness::cluster_sync();
  }
}
