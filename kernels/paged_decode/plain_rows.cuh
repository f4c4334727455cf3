#pragma once
#include <harness/convert.cuh>
#include <harness/infinity.cuh>
#include <harness/warp.cuh>

// The walk of one warp over all keys of its query head. The mutants are this file with one switch DEFECT_... on.
template <class T, int D>
__device__ void plain_decode(const T* q, const T* k_pages, const T* v_pages, const int* lengths, const int* page_table,
                             T* o, float scale, int Hq, int Hkv, int block, int max_pages) {
  constexpr int kColumns = D / 32;
  const int lane = threadIdx.x % 32, b = blockIdx.y;
  const int head = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (head >= Hq) return;
#ifdef DEFECT_HEADS_IN_TURNS
  const int kv_head = head % Hkv;
#else
  const int kv_head = head / (Hq / Hkv);
#endif
  const long long row = static_cast<long long>(b) * Hq + head;
  float query[kColumns], out[kColumns] = {}, largest = -harness::kInfinity, sum = 0;
  for (int c = 0; c < kColumns; ++c) query[c] = harness::to_float(q[row * D + lane + 32 * c]) * scale;

  int length = lengths[b];
#ifdef DEFECT_WHOLE_PAGES
  length = (length + block - 1) / block * block;
#endif
#ifdef DEFECT_FORGETS_LAST
  if (length > 1) --length;
#endif
  for (int j = 0; j < length; ++j) {
#if defined(DEFECT_IGNORES_TABLE)
    const long long page = page_table == nullptr ? 0 : static_cast<long long>(b) * max_pages + j / block;
    const long long key = page * block + j % block;
#elif defined(DEFECT_PAGES_OF_16)
    const long long key = static_cast<long long>(page_table[b * max_pages + j / 16]) * 16 + j % 16;
#else
    const long long key = static_cast<long long>(page_table[b * max_pages + j / block]) * block + j % block;
#endif
    const long long first = (key * Hkv + kv_head) * D;
    float score = 0;
    for (int c = 0; c < kColumns; ++c) score += query[c] * harness::to_float(k_pages[first + lane + 32 * c]);
    score = harness::warp_sum(score);
    const float now = fmaxf(largest, score), weight = expf(score - now);
#ifdef DEFECT_NO_REWEIGHT
    const float before = 1;
#else
    const float before = expf(largest - now);
#endif
    largest = now;
    sum = sum * before + weight;
    for (int c = 0; c < kColumns; ++c)
      out[c] = out[c] * before + weight * harness::to_float(v_pages[first + lane + 32 * c]);
  }
  for (int c = 0; c < kColumns; ++c) o[row * D + lane + 32 * c] = harness::from_float<T>(out[c] / sum);
}
