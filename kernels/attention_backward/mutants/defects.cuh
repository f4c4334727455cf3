#pragma once
#include <harness/infinity.cuh>

#include "plain_row.cuh"

// An honest backward that is written for its defects: each place where one of them is made is a switch DEFECT_..., and a
// mutant is this file with exactly one switch on. With none it is right for the whole domain.
//
// As in 00_naive eight lanes have a row, of d_q in the first launch, of d_k and d_v in the second. They walk over tiles
// of TILE keys or queries.
constexpr int TILE = 64;

/// Whether query i sees key j.
__device__ inline bool sees(int i, int j, int Sq, int Sk, int causal) {
#if defined(DEFECT_DIAGONAL)
  return !causal || j < i + Sk - Sq;
#elif defined(DEFECT_TOP_LEFT)
  return !causal || j <= i;
#else
  return !causal || j <= i + Sk - Sq;
#endif
}

__device__ inline float weight(float score, float scale, float lse, bool sees) {
#ifdef DEFECT_BLIND_ROWS
  return expf(scale * score - lse) * (sees ? 1.0f : 0.0f);  // inf * 0 where a row sees nothing
#else
  return sees ? expf(fmaf(scale, score, -lse)) : 0.0f;
#endif
}

__device__ inline float of_score(float p, float dp, float delta) {
#ifdef DEFECT_NO_DELTA
  return p * dp;
#else
  return p * (dp - delta);
#endif
}

template <class T, int D>
__global__ void queries(const T* q, const T* k, const T* v, const float* lse, const T* o, const T* d_o, T* d_q,
                        float* deltas, float scale, int Hq, int Hkv, int Sq, int Sk, int causal) {
  const int place = blockIdx.x * (blockDim.x / kLanes) + threadIdx.x / kLanes, i = min(place, Sq - 1);
  const long long head = blockIdx.y, row = head * Sq + i;
  const long long kv_head = head / Hq * Hkv + head % Hq / (Hq / Hkv);
  Row<T, D> query, gradient, sum, other;
  query.load(q + row * D);
  gradient.load(d_o + row * D);
  other.load(o + row * D);
  sum.clear();
  const float delta = gradient.dot(other);
#if defined(DEFECT_LOST_LAST_TILE)
  const int end = Sk > TILE ? (Sk - 1) / TILE * TILE : Sk;
#else
  const int end = Sk;
#endif
  for (int first = 0; first < end; first += TILE) {
    for (int j = first; j < min(first + TILE, end); ++j) {
      const long long key = kv_head * Sk + j;
      other.load(v + key * D);
      const float dp = gradient.dot(other);
      other.load(k + key * D);
      const float p = weight(query.dot(other), scale, lse[row], sees(i, j, Sq, Sk, causal));
      sum.add(of_score(p, dp, delta), other);
#ifdef DEFECT_ROUNDED_SUMS
      sum.round();
#endif
    }
  }
#ifdef DEFECT_RAGGED_ROWS
  if (place >= Sq / 16 * 16 && Sq > 16) return;
#endif
  if (place >= Sq) return;
  sum.store(d_q + row * D, scale);
  if (threadIdx.x % kLanes == 0) deltas[row] = delta;
}

template <class T, int D>
__global__ void keys(const T* q, const T* k, const T* v, const float* lse, const T* d_o, T* d_k, T* d_v,
                     const float* deltas, float scale, int Hq, int Hkv, int Sq, int Sk, int causal) {
  const int place = blockIdx.x * (blockDim.x / kLanes) + threadIdx.x / kLanes, j = min(place, Sk - 1);
  const int group = Hq / Hkv;
  const long long kv_head = blockIdx.y, row = kv_head * Sk + j;
  Row<T, D> key, value, sum_k, sum_v, other;
  key.load(k + row * D);
  value.load(v + row * D);
  sum_k.clear();
  sum_v.clear();
#ifdef DEFECT_ONE_HEAD
  const int heads = 1;
#else
  const int heads = group;
#endif
#ifdef DEFECT_LOST_QUERIES
  const int end = Sq > TILE ? Sq / TILE * TILE : Sq;  // the ragged tile
#else
  const int end = Sq;
#endif
  for (int h = 0; h < heads; ++h) {
    const long long head = kv_head / Hkv * Hq + kv_head % Hkv * group + h;
    for (int i = 0; i < end; ++i) {
      const long long at = head * Sq + i;
      other.load(q + at * D);
      const float p = weight(key.dot(other), scale, lse[at], sees(i, j, Sq, Sk, causal));
      const Row<T, D> query = other;
      other.load(d_o + at * D);
      sum_v.add(p, other);
      sum_k.add(of_score(p, value.dot(other), deltas[at]), query);
    }
  }
  if (place >= Sk) return;
#ifdef DEFECT_NO_SCALE
  sum_k.store(d_k + row * D, 1.0f);
#else
  sum_k.store(d_k + row * D, scale);
#endif
  sum_v.store(d_v + row * D, 1.0f);
}
