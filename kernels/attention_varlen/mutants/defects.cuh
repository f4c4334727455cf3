#pragma once
#include <harness/convert.cuh>
#include <harness/infinity.cuh>

#include "sequences.cuh"

// An honest variant that is written for its defects: each place where one of them is made is a switch DEFECT_..., and a
// mutant is this file with exactly one switch on. With none it is right for the whole domain.
//
// A thread has a row, and walks once over tiles of TILE keys with an online softmax; the sink comes last. Blocks take
// ROWS neighbouring rows of the packed queries, which may belong to several sequences.
constexpr int TILE = 64, ROWS = 64;

__device__ inline int sequence_of_row(const int* starts, int B, int row) {
#if defined(DEFECT_EMPTY_SEQUENCE)
  for (int b = 0; b < B; ++b)
    if (starts[b] == row || starts[b + 1] > row) return b;  // an empty sequence begins there, too
  return B - 1;
#elif defined(DEFECT_FIRST_OF_TILE)
  return sequence_of(starts, B, row / ROWS * ROWS);
#else
  return sequence_of(starts, B, row);
#endif
}

__device__ inline float capped(float dot, float scale, float cap) {
#if defined(DEFECT_CAP_BEFORE_SCALE)
  return cap > 0 ? scale * cap * tanhf(dot / cap) : scale * dot;
#else
  return cap > 0 ? cap * tanhf(scale * dot / cap) : scale * dot;
#endif
}

template <class T, int D>
__global__ void attention(const T* q, const T* k, const T* v, const int* cu_q, const int* cu_k, const float* sinks,
                          T* o, float scale, float cap, int B, int Tq, int Tk, int Hq, int Hkv, int window,
                          int causal) {
  const int token = blockIdx.x * ROWS + threadIdx.x, h = blockIdx.y;
  if (token >= Tq) return;
  const int b = sequence_of_row(cu_q, B, token);
#if defined(DEFECT_STARTS_OF_QUERIES)
  const int first_key = min(cu_q[b], Tk), keys = min(cu_k[b + 1] - cu_k[b], Tk - first_key);
#else
  const int first_key = cu_k[b], keys = cu_k[b + 1] - first_key;
#endif
#if defined(DEFECT_TOP_LEFT)
  const int position = token - cu_q[b];
#else
  const int position = token - cu_q[b + 1] + keys;
#endif
  const Sight sight{window, causal != 0};
  int begin = sight.first(position), end = sight.end(position, keys);
#if defined(DEFECT_WINDOW_WIDER)
  if (window > 0) begin = max(0, position - window);
#elif defined(DEFECT_WINDOW_LEAVES)
  if (window > 0) begin = max(-first_key, position - window + 1);  // the keys of the sequence before
#elif defined(DEFECT_KEY_BEHIND)
  if (!causal && window == 0) end = min(keys + 1, Tk - first_key);  // the next sequence's first key
#elif defined(DEFECT_LOST_TAIL)
  if (end - begin > TILE) end -= (end - begin) % TILE;
#endif
#if defined(DEFECT_HEADS_IN_TURNS)
  const int kv_head = h % Hkv;
#else
  const int kv_head = h / (Hq / Hkv);
#endif
  const long long row = static_cast<long long>(token) * Hq + h, pitch = static_cast<long long>(Hkv) * D;
  const T* own_keys = k + first_key * pitch + kv_head * D;
  const T* own_values = v + first_key * pitch + kv_head * D;

  float largest = -harness::kInfinity, sum = 0, out[D];
  for (int d = 0; d < D; ++d) out[d] = 0;
  for (int j = begin; j < end; ++j) {
    float dot = 0;
    for (int d = 0; d < D; ++d) dot += harness::to_float(q[row * D + d]) * harness::to_float(own_keys[j * pitch + d]);
    const float score = capped(dot, scale, cap), now = fmaxf(largest, score);
    const float before = expf(largest - now), p = expf(score - now);
    largest = now;
    sum = sum * before + p;
    for (int d = 0; d < D; ++d) out[d] = out[d] * before + p * harness::to_float(own_values[j * pitch + d]);
  }
#if defined(DEFECT_NO_KEYS)
  const float scaled_sink = sinks ? expf(sinks[h] - largest) : 0;
  for (int d = 0; d < D; ++d) o[row * D + d] = harness::from_float<T>(out[d] / (sum + scaled_sink));  // 0 / 0
#else
  float sink = sinks ? expf(fminf(80.0f, sinks[h] - largest)) : 0;
#if defined(DEFECT_SINK_OF_KEY_HEAD)
  if (sinks) sink = expf(fminf(80.0f, sinks[kv_head] - largest));
#endif
  if (end <= begin) sink = 1;
#if defined(DEFECT_SINK_HAS_VALUE)
  if (sinks && end > begin)
    for (int d = 0; d < D; ++d) out[d] += sink * harness::to_float(own_values[begin * pitch + d]);
#endif
  for (int d = 0; d < D; ++d) o[row * D + d] = harness::from_float<T>(out[d] / (sum + sink));
#endif
}
