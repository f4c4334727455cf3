#include "mma_keys.cuh"
#include "rows.cuh"

// Idea (FlashAttention 2): all five products on the tensor cores, by mma.sync, with the tiles of keys as the outer
// loop. P and dP are computed once for each pair. Of the three sums two run over queries, and stay in the registers of
// the block that holds the keys; d_q runs over keys, and is added up in fp32 in device memory, by atomics
// (mma_keys.cuh). Two small launches stand around the large one: delta = <d_o, o> of each row before, d_q from fp32 to
// T after. Cost: 8 D bytes of d_q through L2 for each query and tile of keys, and sums in another order each time. A
// lane holds D accumulators of d_k and d_v, BLOCK_M / 2 of S and as many of dP. Stops: each fragment from shared memory
// feeds one product, which is about half of the rate of Hopper's tensor cores; and at what mma.sync takes of them
// (60_wgmma).
template <class T, int D, int WARPS, int BLOCK_M, int BLOCKS>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS)
    backward(const T* q, const T* k, const T* v, const T* d_o, const float* lse_of_tiles, const float* deltas,
             float* sums, T* d_k, T* d_v, float scale, int Hq, int Hkv, int Sq, int Sk, int padded, int causal) {
  walk_over_queries<T, D, WARPS, BLOCK_M, true>(q, k, v, d_o, lse_of_tiles, deltas, sums, d_k, d_v, scale, Hq, Hkv, Sq,
                                                Sk, padded, causal != 0);
}
