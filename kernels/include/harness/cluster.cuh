#pragma once
#include <harness/shared_address.cuh>
#include <harness/vec.cuh>

// Thread block clusters (sm_90): up to 8 blocks (16 where the device allows it) that run at the same time and can read
// and write each other's shared memory (DSMEM). The plan's `cluster` sets their number; without one a cluster is one
// block. PTX ISA: barrier.cluster, mapa, ld/st.shared::cluster, %cluster_ctarank.
//
// Two rules that every use has to keep:
// - a block may be touched only while it runs: cluster_sync() before the first access (or all blocks may not have
//   begun) and between the last access and the end of the kernel (or its owner may have exited);
// - accesses of different blocks are ordered by the cluster's barrier: arrive releases, wait acquires.
// The cpu device notices where either is broken.
namespace harness {

#ifdef __HARNESS_CPU__

/// Number of this block in its cluster, x first: %cluster_ctarank.
__device__ inline unsigned cluster_rank() {
  const HarnessCpuIndex block = harness_cpu_cluster(harness_cpu_cluster_block);
  const HarnessCpuIndex dim = harness_cpu_cluster(harness_cpu_cluster_dim);
  return block.x + dim.x * (block.y + dim.y * block.z);
}
/// Blocks of the cluster: %cluster_nctarank.
__device__ inline unsigned cluster_size() {
  const HarnessCpuIndex dim = harness_cpu_cluster(harness_cpu_cluster_dim);
  return dim.x * dim.y * dim.z;
}
/// Index of this block in its cluster: %cluster_ctaid.
__device__ inline dim3 cluster_block_index() {
  const HarnessCpuIndex block = harness_cpu_cluster(harness_cpu_cluster_block);
  return dim3(block.x, block.y, block.z);
}
/// Blocks of the cluster in each dimension: %cluster_nctaid.
__device__ inline dim3 cluster_dim() {
  const HarnessCpuIndex dim = harness_cpu_cluster(harness_cpu_cluster_dim);
  return dim3(dim.x, dim.y, dim.z);
}
/// Index of the cluster in the grid: %clusterid.
__device__ inline dim3 cluster_index() {
  const HarnessCpuIndex cluster = harness_cpu_cluster(harness_cpu_cluster_of_grid);
  return dim3(cluster.x, cluster.y, cluster.z);
}

/// Says that this thread has come to the cluster's barrier and does not wait; what it stored before is released.
/// barrier.cluster.arrive.release. Called by all lanes of a warp; cluster_wait() must follow before the next arrival.
__device__ inline void cluster_arrive(HARNESS_CPU_SITE) {
  harness_cpu_cluster_arrive(file, line);
}
/// The same, and releases nothing: for a barrier that only says "I have begun" or "I have finished reading".
/// barrier.cluster.arrive.relaxed.
__device__ inline void cluster_arrive_relaxed(HARNESS_CPU_SITE) {
  harness_cpu_cluster_arrive(file, line);
}
/// Waits until all threads of the cluster that have not exited have arrived, and acquires what they released.
/// barrier.cluster.wait.acquire.
__device__ inline void cluster_wait(HARNESS_CPU_SITE) {
  harness_cpu_cluster_wait(file, line);
}

/// Nobody goes on before all threads of the cluster have come here, and everybody sees what was stored before.
__device__ inline void cluster_sync(HARNESS_CPU_SITE) {
  harness_cpu_cluster_arrive(file, line);
  harness_cpu_cluster_wait(file, line);
}

/// Where block `rank` of the cluster has what this block has at `p`, which points into shared memory. A plain (generic)
/// pointer: loads, stores and atomics work on it. mapa.
template <class T>
__device__ inline T* cluster_map(T* p, unsigned rank, HARNESS_CPU_SITE) {
  return static_cast<T*>(harness_cpu_cluster_map(p, rank, 0, file, line));
}
/// N neighbouring elements, 4, 8 or 16 bytes, at `p` in the shared memory of block `rank`. ld.shared::cluster.
template <int N, class T>
__device__ inline Vec<T, N> load_cluster(const T* p, unsigned rank, HARNESS_CPU_SITE) {
  return load<N>(static_cast<const T*>(harness_cpu_cluster_map(p, rank, N * sizeof(T), file, line)));
}
/// The same for a store: st.shared::cluster.
template <class T, int N>
__device__ inline void store_cluster(T* p, unsigned rank, const Vec<T, N>& v, HARNESS_CPU_SITE) {
  store(static_cast<T*>(harness_cpu_cluster_map(p, rank, N * sizeof(T), file, line)), v);
}

#else

__device__ inline unsigned cluster_rank() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ inline unsigned cluster_size() {
  unsigned size;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  return size;
}
__device__ inline dim3 cluster_block_index() {
  dim3 index;
  asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(index.x));
  asm("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(index.y));
  asm("mov.u32 %0, %%cluster_ctaid.z;" : "=r"(index.z));
  return index;
}
__device__ inline dim3 cluster_dim() {
  dim3 dim;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(dim.x));
  asm("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(dim.y));
  asm("mov.u32 %0, %%cluster_nctaid.z;" : "=r"(dim.z));
  return dim;
}
__device__ inline dim3 cluster_index() {
  dim3 index;
  asm("mov.u32 %0, %%clusterid.x;" : "=r"(index.x));
  asm("mov.u32 %0, %%clusterid.y;" : "=r"(index.y));
  asm("mov.u32 %0, %%clusterid.z;" : "=r"(index.z));
  return index;
}

__device__ inline void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ inline void cluster_arrive_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
__device__ inline void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

template <class T>
__device__ inline T* cluster_map(T* p, unsigned rank) {
  T* mapped;
  asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(p), "r"(rank));
  return mapped;
}

/// The 32-bit address in the window shared::cluster, which needs no translation when it is used.
__device__ inline unsigned cluster_address(const void* p, unsigned rank) {
  const unsigned own = shared_address(p);
  unsigned mapped;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(own), "r"(rank));
  return mapped;
}
template <int N, class T>
__device__ inline Vec<T, N> load_cluster(const T* p, unsigned rank) {
  static_assert(sizeof(T) * N == 4 || sizeof(T) * N == 8 || sizeof(T) * N == 16, "4, 8 or 16 bytes");
  const unsigned address = cluster_address(p, rank);
  union {
    unsigned word[sizeof(T) * N / 4];
    Vec<T, N> v;
  } data;
  if constexpr (sizeof(T) * N == 16)
    asm volatile("ld.shared::cluster.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(data.word[0]), "=r"(data.word[1]), "=r"(data.word[2]), "=r"(data.word[3])
                 : "r"(address)
                 : "memory");
  else if constexpr (sizeof(T) * N == 8)
    asm volatile("ld.shared::cluster.v2.b32 {%0, %1}, [%2];"
                 : "=r"(data.word[0]), "=r"(data.word[1])
                 : "r"(address)
                 : "memory");
  else asm volatile("ld.shared::cluster.b32 %0, [%1];" : "=r"(data.word[0]) : "r"(address) : "memory");
  return data.v;
}
template <class T, int N>
__device__ inline void store_cluster(T* p, unsigned rank, const Vec<T, N>& v) {
  static_assert(sizeof(T) * N == 4 || sizeof(T) * N == 8 || sizeof(T) * N == 16, "4, 8 or 16 bytes");
  const unsigned address = cluster_address(p, rank);
  union {
    Vec<T, N> v;
    unsigned word[sizeof(T) * N / 4];
  } data = {v};
  if constexpr (sizeof(T) * N == 16)
    asm volatile("st.shared::cluster.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(data.word[0]),
                 "r"(data.word[1]), "r"(data.word[2]), "r"(data.word[3])
                 : "memory");
  else if constexpr (sizeof(T) * N == 8)
    asm volatile("st.shared::cluster.v2.b32 [%0], {%1, %2};" ::"r"(address), "r"(data.word[0]), "r"(data.word[1])
                 : "memory");
  else asm volatile("st.shared::cluster.b32 [%0], %1;" ::"r"(address), "r"(data.word[0]) : "memory");
}

__device__ inline void cluster_sync() {
  cluster_arrive();
  cluster_wait();
}

#endif

}  // namespace harness
