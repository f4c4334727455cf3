// What takes a pass through the pipe of shared memory? Each kernel does one thing, mostly 64 times; ncu counts the
// passes. Build and run on an H100:
//   nvcc -arch=sm_90a -O3 -o passes bench/passes.cu
//   ncu --csv --page raw --metrics l1tex__data_pipe_lsu_wavefronts_mem_shared.sum ./passes
// What came of it: bench/h200/passes_kinds.json, docs/profile.md.
#include <cstdio>
constexpr int N = 64;
extern "C" __global__ void k_empty(int* out) {
  if (out[0] == 7) out[1] = 1;
}
extern "C" __global__ void k_tid(int* out) {
  if (out[threadIdx.x] == 7) out[1] = 1;
}
extern "C" __global__ void k_bar(int* out) {
  for (int i = 0; i < N; ++i) {
    __syncthreads();
    asm volatile("" ::: "memory");
  }
  if (out[0] == 7) out[1] = 1;
}
extern "C" __global__ void k_shfl(int* out) {
  int v = out[threadIdx.x];  // each lane another: else the compiler drops the shuffles
  for (int i = 0; i < N; ++i) v = __shfl_xor_sync(~0u, v, 1 + i % 16) + v;
  if (v == 7) out[1] = 1;
}
extern "C" __global__ void k_vote(int* out) {
  unsigned v = out[0];
  for (int i = 0; i < N; ++i) v += __ballot_sync(~0u, v & 1);
  if (v == 7) out[1] = 1;
}
extern "C" __global__ void k_redux(int* out) {
  unsigned v = out[0];
  for (int i = 0; i < N; ++i) v += __reduce_add_sync(~0u, v & 1);
  if (v == 7) out[1] = 1;
}
extern "C" __global__ void k_match(int* out) {
  unsigned v = out[0];
  for (int i = 0; i < N; ++i) v += __match_any_sync(~0u, v & 1);
  if (v == 7) out[1] = 1;
}
extern "C" __global__ void k_fence(int* out) {
  for (int i = 0; i < N; ++i) __threadfence();
  if (out[0] == 7) out[1] = 1;
}
extern "C" __global__ void k_fence_block(int* out) {
  for (int i = 0; i < N; ++i) __threadfence_block();
  if (out[0] == 7) out[1] = 1;
}
extern "C" __global__ void k_ldg(int* out) {
  int v = 0;
  for (int i = 0; i < N; ++i) v += ((volatile int*)out)[i];
  if (v == 7) out[1] = 1;
}
extern "C" __global__ void k_stg(int* out) {
  for (int i = 0; i < N; ++i) ((volatile int*)out)[i + 1024] = i;
}
extern "C" __global__ void k_atomg(int* out) {
  int v = 0;
  for (int i = 0; i < N; ++i) v += atomicAdd(out + i, 1);
  if (v == 7) out[1] = 1;
}
extern "C" __global__ void k_red(int* out) {
  for (int i = 0; i < N; ++i) atomicAdd(out + i, 1);
}
extern "C" __global__ void k_cp16(int4* out) {
  __shared__ int4 s[N];
  unsigned a = (unsigned)__cvta_generic_to_shared(s);
  for (int i = 0; i < N; ++i)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(a + 16 * i), "l"(out + i) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
}
extern "C" __global__ void k_cp16_lanes(int4* out) {
  __shared__ int4 s[32 * 8];
  unsigned a = (unsigned)__cvta_generic_to_shared(s) + 16 * (threadIdx.x % 32);
  for (int i = 0; i < N; ++i)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(a + 512 * (i % 8)),
                 "l"(out + i * 32 + threadIdx.x % 32)
                 : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
}
extern "C" __global__ void k_wait(int* out) {
  for (int i = 0; i < N; ++i) {
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
  }
  if (out[0] == 7) out[1] = 1;
}
extern "C" __global__ void k_wait1(int* out) {
  for (int i = 0; i < N; ++i) {
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 1;" ::: "memory");
  }
  if (out[0] == 7) out[1] = 1;
}
extern "C" __global__ void k_commit(int* out) {
  for (int i = 0; i < N; ++i) {
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  if (out[0] == 7) out[1] = 1;
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) k_cluster(int* out) {
  for (int i = 0; i < N; ++i) {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  }
  if (out[0] == 7) out[1] = 1;
}
extern "C" __global__ void k_ctaid(int* out) {
  if (out[blockIdx.x] == 7) out[blockIdx.y] = 1;
}
#define REGISTER(kernel, name)                               \
  extern "C" __global__ void kernel(int* out) {              \
    unsigned sum = 0;                                        \
    for (int i = 0; i < N; ++i) {                            \
      unsigned value;                                        \
      asm volatile("mov.u32 %0, %%" name ";" : "=r"(value)); \
      sum += value;                                          \
    }                                                        \
    if (sum == 7) out[1] = 1;                                \
  }
REGISTER(k_cgacta, "cluster_ctarank")
REGISTER(k_laneid, "laneid")
REGISTER(k_clock, "clock")
extern "C" __global__ void k_sts(int* out) {
  __shared__ int s[64];
  int* p = s + (out[0] & 1);
  asm volatile("" : "+l"(p));
  for (int i = 0; i < N; ++i) {
    *(volatile int*)p = i;
  }
  if (out[0] == 7) out[1] = s[3];
}
extern "C" __global__ void k_ex2(float* out) {
  float v = out[0];
  for (int i = 0; i < N; ++i) asm volatile("ex2.approx.f32 %0, %0;" : "+f"(v));
  if (v == 7) out[1] = 1;
}
extern "C" __global__ void k_ldc(const int* __restrict__ out, int* o) {
  int v = 0;
  for (int i = 0; i < N; ++i) v += __ldg(out + i);
  if (v == 7) o[1] = 1;
}
int main() {
  int* p;
  cudaMalloc(&p, 1 << 22);
  cudaMemset(p, 0, 1 << 22);
  for (int threads : {32, 128}) {
    k_empty<<<64, threads>>>(p);
    k_tid<<<64, threads>>>(p);
    k_bar<<<64, threads>>>(p);
    k_shfl<<<64, threads>>>(p);
    k_vote<<<64, threads>>>(p);
    k_redux<<<64, threads>>>(p);
    k_match<<<64, threads>>>(p);
    k_fence<<<64, threads>>>(p);
    k_fence_block<<<64, threads>>>(p);
    k_ldg<<<64, threads>>>(p);
    k_stg<<<64, threads>>>(p);
    k_atomg<<<64, threads>>>(p);
    k_red<<<64, threads>>>(p);
    k_cp16<<<64, threads>>>((int4*)p);
    k_cp16_lanes<<<64, threads>>>((int4*)p);
    k_wait<<<64, threads>>>(p);
    k_wait1<<<64, threads>>>(p);
    k_commit<<<64, threads>>>(p);
    k_cluster<<<64, threads>>>(p);
    k_ctaid<<<64, threads>>>(p);
    k_cgacta<<<64, threads>>>(p);
    k_laneid<<<64, threads>>>(p);
    k_clock<<<64, threads>>>(p);
    k_sts<<<64, threads>>>(p);
    k_ex2<<<64, threads>>>((float*)p);
    k_ldc<<<64, threads>>>(p, p);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  }
}
