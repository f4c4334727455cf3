#include "shared_rows.cuh"

// Idea: GROUP query heads share a key head, so a block takes all of them: a key or value is loaded and widened once and
// used GROUP times. Pages are split as in 20_split_pages, because there are GROUP times fewer blocks.
// Cost: GROUP * 2 * VEC registers a lane for queries and sums; the bytes of keys and values once, whatever GROUP is.
// Stops: at the bandwidth of memory; with larger groups at the CUDA cores, where tensor cores would go on.
template <class T, int D, int VEC, int GROUP, int WARPS>
__global__ void __launch_bounds__(32 * WARPS)
    decode_part(const T* q, const T* k_pages, const T* v_pages, const int* lengths, const int* page_table,
                float* o_partial, float* max_partial, float* sum_partial, float scale, int Hq, int Hkv, int block,
                int max_pages, int splits) {
  decode_range<T, D, VEC, GROUP, WARPS>(q, k_pages, v_pages, lengths, page_table, o_partial, max_partial, sum_partial,
                                        scale, Hq, Hkv, block, max_pages, splits);
}

template <class T, int D>
__global__ void combine(const float* o_partial, const float* max_partial, const float* sum_partial, T* o, int splits) {
  combine_ranges<T, D>(o_partial, max_partial, sum_partial, o, splits);
}
