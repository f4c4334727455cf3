// What single things cost on a Hopper GPU: constants of predict/predicted_time.cpp and gpus/*.lua
// (docs/profile.md, "The model"). Prints nanoseconds and TB/s, a line for each.
//   nvcc -O2 -std=c++17 -gencode=arch=compute_90a,code=sm_90a bench/costs.cu -o costs && ./costs
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace {

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__global__ void empty(int* never) {
  if (never) *never = 1;
}
__global__ void barriers(int count) {
  for (int i = 0; i < count; ++i) __syncthreads();
}
__global__ void cluster_barriers(int count) {
  for (int i = 0; i < count; ++i) cluster_sync();
}

// Each warp stores 16 bytes a lane into the next block's shared memory, again and again over 16 KB.
__global__ void remote_stores(int count, int blocks, float* never) {
  extern __shared__ float mine[];
  unsigned rank, theirs;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(theirs) : "r"(shared_address(mine)), "r"((rank + 1) % blocks));
  cluster_sync();
  for (int i = 0; i < count; ++i) {
    const unsigned place = theirs + ((threadIdx.x + i * blockDim.x) * 16 & 16383);
    asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %1, %1, %1};" ::"r"(place), "f"(static_cast<float>(i))
                 : "memory");
  }
  cluster_sync();
  if (mine[threadIdx.x] == -1) *never = 1;
}

// Each block copies `bytes`, the same as its neighbours of `sharing`.
__global__ void copies(const char* from, int bytes, int sharing, int* never) {
  extern __shared__ __align__(128) char tile[];
  const int step = blockDim.x * 16;
  const unsigned place = shared_address(tile) + threadIdx.x * 16;
  from += static_cast<size_t>(blockIdx.x / sharing) * bytes + threadIdx.x * 16;
  for (int i = 0; i < bytes; i += 8 * step)
#pragma unroll
    for (int j = 0; j < 8; ++j)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place + j * step), "l"(from + i + j * step)
                   : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  if (tile[threadIdx.x] == 123 && tile[0] == 77 && tile[1] == 99) *never = 1;
}

// COUNT instructions without a branch.
template <int COUNT>
__global__ void straight(float* never, float factor) {
  float sum[8];
  for (int j = 0; j < 8; ++j) sum[j] = threadIdx.x + j;
#pragma unroll
  for (int i = 0; i < COUNT; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(sum[i % 8]) : "f"(factor));
  float all = 0;
  for (int j = 0; j < 8; ++j) all += sum[j];
  if (all == 12345) *never = all;
}

// Nanoseconds of each of 64 launches of a graph.
template <class... Arguments>
float time_of(void (*kernel)(Arguments...), int blocks, int threads, int shared, int cluster, Arguments... arguments) {
  constexpr int kLaunches = 64, kTimes = 12, kFourth = 3;
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute attribute = {};
  cudaStreamCreate(&config.stream);
  config.gridDim = blocks, config.blockDim = threads, config.dynamicSmemBytes = shared;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
  config.attrs = &attribute, config.numAttrs = cluster > 0;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
  if (cluster > 8) cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  cudaGraph_t graph;
  cudaGraphExec_t runnable;
  cudaStreamBeginCapture(config.stream, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < kLaunches; ++i) cudaLaunchKernelEx(&config, kernel, arguments...);
  cudaStreamEndCapture(config.stream, &graph);
  cudaGraphInstantiate(&runnable, graph, 0);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  std::vector<float> times;
  for (int i = 0; i < kTimes; ++i) {
    float ms = 0;
    cudaEventRecord(begin, config.stream);
    cudaGraphLaunch(runnable, config.stream);
    cudaEventRecord(end, config.stream);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, begin, end);
    times.push_back(ms * 1e6f / kLaunches);
  }
  if (const cudaError_t error = cudaGetLastError()) std::printf("%s: ", cudaGetErrorString(error));
  std::sort(times.begin(), times.end());
  return times[kFourth];
}

template <int COUNT>
void print_straight() {
  for (const int warps : {1, 8})
    std::printf("straight %d warps %d: %.0f\n", COUNT, warps,
                time_of(straight<COUNT>, 132, 32 * warps, 0, 0, (float*)0, 1.0f));
}

}  // namespace

int main() {
  constexpr int kSome = 100, kMany = 1100, kTile = 16384;
  char* memory;
  cudaMalloc(&memory, 64 << 20);
  for (const int blocks : {1, 48, 132, 264, 768, 1536, 3072, 6144}) {
    std::printf("empty %d:", blocks);
    for (const int cluster : {0, 2, 4, 8})
      if (blocks % 8 == 0 || cluster == 0)
        std::printf(" cluster %d %.0f", cluster, time_of(empty, blocks, 128, 0, cluster, (int*)0));
    std::puts("");
  }
  for (const int threads : {32, 64, 128, 256, 512})
    std::printf("barrier %d: %.1f\n", threads,
                (time_of(barriers, 132, threads, 0, 0, kMany) - time_of(barriers, 132, threads, 0, 0, kSome)) /
                    (kMany - kSome));
  for (const int cluster : {2, 4, 8, 16})
    std::printf("cluster barrier %d: %.1f\n", cluster,
                (time_of(cluster_barriers, 16, 128, 0, cluster, kMany) -
                 time_of(cluster_barriers, 16, 128, 0, cluster, kSome)) /
                    (kMany - kSome));
  for (const int cluster : {2, 4, 8})
    for (const int threads : {32, 128, 256})
      for (const int each : {1, 4}) {
        const int blocks = 132 * each / cluster * cluster;
        const float ns = time_of(remote_stores, blocks, threads, kTile, cluster, kMany, cluster, (float*)0) -
                         time_of(remote_stores, blocks, threads, kTile, cluster, kSome, cluster, (float*)0);
        std::printf("remote stores %d threads %d blocks %d: %.2f\n", cluster, threads, each,
                    (kMany - kSome) * 16.0 * blocks * threads / ns / 1e3);
      }
  for (const int sharing : {1, 2, 4, 8, 16, 64}) {
    const float ns = time_of(copies, 768, 128, kTile, 0, (const char*)memory, 65536, sharing, (int*)0) -
                     time_of(copies, 768, 128, kTile, 0, (const char*)memory, 32768, sharing, (int*)0);
    std::printf("copies %d: %.2f\n", sharing, 768 * 32768.0 / ns / 1e3);
  }
  print_straight<1024>(), print_straight<2048>(), print_straight<2304>(), print_straight<2560>(),
      print_straight<3072>(), print_straight<4096>();
}
