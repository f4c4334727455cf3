#include "shared_rows.cuh"

// Idea: lanes share a key and load VEC elements at once, so a warp has several keys in flight, and WARPS warps share
// the sequence. The page of a key is looked up by its own lanes; neighbours find it in the L1.
// Cost: each key and value is still read once for every query head; the warps' parts go through shared memory once.
// Stops: at the L2's rate where heads share keys, and at the number of sequences and heads where these are few.
template <class T, int D, int VEC, int WARPS>
__global__ void __launch_bounds__(32 * WARPS)
    decode(const T* q, const T* k_pages, const T* v_pages, const int* lengths, const int* page_table, T* o, float scale,
           int Hq, int Hkv, int block, int max_pages) {
  const int head = blockIdx.x, b = blockIdx.y, kv_head = head / (Hq / Hkv);
  const long long row = static_cast<long long>(b) * Hq + head;
  SharedRows<T, D, VEC, 1, WARPS> rows(q + row * D, scale);
  rows.attend(k_pages + kv_head * D, v_pages + kv_head * D, page_table + static_cast<long long>(b) * max_pages, 0,
              lengths[b], block, static_cast<long long>(Hkv) * D);
  rows.finish(
      [&](int, int column, float out, float, float sum) { o[row * D + column] = harness::from_float<T>(out / sum); });
}
