// What takes a pass through the pipe of shared memory? Each kernel does one thing 64 times; ncu counts.
//   nvcc -arch=sm_90a -O3 -o passes bench/passes.cu
//   ncu --csv --page raw --metrics l1tex__data_pipe_lsu_wavefronts_mem_shared.sum,l1tex__data_pipe_lsu_wavefronts.sum
//   ./passes
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
extern "C" __global__ void k_syncwarp(int* out) {
  for (int i = 0; i < N; ++i) {
    __syncwarp();
    asm volatile("" ::: "memory");
  }
  if (out[0] == 7) out[1] = 1;
}
extern "C" __global__ void k_shfl(int* out) {
  int v = out[0];
  for (int i = 0; i < N; ++i) v = __shfl_xor_sync(~0u, v, 1) + 1;
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
extern "C" __global__ void k_cgacta(int* out) {
  unsigned r = 0;
  for (int i = 0; i < N; ++i) {
    unsigned t;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(t));
    r += t;
  }
  if (r == 7) out[1] = 1;
}
extern "C" __global__ void k_laneid(int* out) {
  unsigned r = 0;
  for (int i = 0; i < N; ++i) {
    unsigned t;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(t));
    r += t;
  }
  if (r == 7) out[1] = 1;
}
extern "C" __global__ void k_clock(int* out) {
  unsigned r = 0;
  for (int i = 0; i < N; ++i) {
    unsigned t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t));
    r += t;
  }
  if (r == 7) out[1] = 1;
}
extern "C" __global__ void k_swin(int* out) {
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
#define RUN(k, ...) k<<<g, b>>>(__VA_ARGS__)
int main(int c, char**) {
  int* p;
  cudaMalloc(&p, 1 << 22);
  cudaMemset(p, 0, 1 << 22);
  for (int b : {32, 128}) {
    int g = 64;
    RUN(k_empty, p);
    RUN(k_tid, p);
    RUN(k_bar, p);
    RUN(k_syncwarp, p);
    RUN(k_shfl, p);
    RUN(k_vote, p);
    RUN(k_redux, p);
    RUN(k_match, p);
    RUN(k_fence, p);
    RUN(k_fence_block, p);
    RUN(k_ldg, p);
    RUN(k_stg, p);
    RUN(k_atomg, p);
    RUN(k_red, p);
    RUN(k_cp16, (int4*)p);
    RUN(k_cp16_lanes, (int4*)p);
    RUN(k_wait, p);
    RUN(k_wait1, p);
    RUN(k_commit, p);
    RUN(k_cluster, p);
    RUN(k_ctaid, p);
    RUN(k_cgacta, p);
    RUN(k_laneid, p);
    RUN(k_clock, p);
    RUN(k_swin, p);
    RUN(k_ex2, (float*)p);
    RUN(k_ldc, p, p);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  }
}
