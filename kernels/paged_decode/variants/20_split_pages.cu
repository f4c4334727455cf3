#include "shared_rows.cuh"

// Idea: few sequences make few blocks. So the pages of a sequence are split, too: SPLITS blocks share a query head,
// each attends to whole pages of its own, and a second launch puts the partial results together. Ranges follow from
// the sequence's own length: long and short ones are split alike.
// Cost: SPLITS * (D + 2) floats a row are written and read again; a second launch (about 1 us on a GPU).
// Stops: when the blocks of 10_vector fill the device by themselves.
template <class T, int D, int VEC, int WARPS>
__global__ void __launch_bounds__(32 * WARPS)
    decode_part(const T* q, const T* k_pages, const T* v_pages, const int* lengths, const int* page_table,
                float* o_partial, float* max_partial, float* sum_partial, float scale, int Hq, int Hkv, int block,
                int max_pages, int splits) {
  decode_range<T, D, VEC, 1, WARPS>(q, k_pages, v_pages, lengths, page_table, o_partial, max_partial, sum_partial,
                                    scale, Hq, Hkv, block, max_pages, splits);
}

template <class T, int D>
__global__ void combine(const float* o_partial, const float* max_partial, const float* sum_partial, T* o, int splits) {
  combine_ranges<T, D>(o_partial, max_partial, sum_partial, o, splits);
}
