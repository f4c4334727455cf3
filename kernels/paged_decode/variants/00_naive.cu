#include "plain_rows.cuh"

// Idea: one warp a query head, one key after the other, an online softmax.
// Cost: each key is a sum over the warp and a chain of dependent steps, and is read once for every query head that
// shares it, two bytes a load. Few sequences fill a small part of a device.
// Stops: at the latency of that chain, times the length of the longest sequence.
template <class T, int D>
__global__ void decode(const T* q, const T* k_pages, const T* v_pages, const int* lengths, const int* page_table, T* o,
                       float scale, int Hq, int Hkv, int block, int max_pages) {
  plain_decode<T, D>(q, k_pages, v_pages, lengths, page_table, o, scale, Hq, Hkv, block, max_pages);
}
