#include "plain_row.cuh"

// Idea: eight lanes a row, by the definition. They hold D / 8 columns each of everything: of a query for d_q, of a key
// for d_k and d_v. Two products of a pair, <q, k> and <d_o, v>, are sums over the lanes, the others need no exchange.
// The first launch walks over the keys that a query sees and leaves its delta for the second one, which walks over the
// queries that see a key, of all heads that share it. So every sum has one owner and one order.
// Cost: P and dP are computed twice, with six shuffles a pair each time, and rows come straight from cache, where all
// warps of a block read the same row at about the same time. Stops: at instructions, some 30 a pair for four rows.

// The four rows of a warp walk together, as far as any of them has to: a shuffle wants all lanes. Rows behind the last
// one stand in for it and are not stored.

template <class T, int D>
__global__ void backward_of_queries(const T* q, const T* k, const T* v, const float* lse, const T* o, const T* d_o,
                                    T* d_q, float* deltas, float scale, int Hq, int Hkv, int Sq, int Sk, int causal) {
  const int place = blockIdx.x * (blockDim.x / kLanes) + threadIdx.x / kLanes, last = place | 3;
  const int i = min(place, Sq - 1);
  const long long head = blockIdx.y, row = head * Sq + i;
  const long long kv_head = head / Hq * Hkv + head % Hq / (Hq / Hkv);
  const T* keys = k + kv_head * Sk * D;
  const T* values = v + kv_head * Sk * D;
  Row<T, D> query, gradient, sum, other;
  query.load(q + row * D);
  gradient.load(d_o + row * D);
  other.load(o + row * D);
  sum.clear();
  const float delta = gradient.dot(other), of_row = lse[row];
  const auto visible = [&](int of) { return causal ? min(Sk, max(0, min(of, Sq - 1) + Sk - Sq + 1)) : Sk; };
  const int own = visible(i), end = visible(last);
  for (int j = 0; j < end; ++j) {
    other.load(values + static_cast<long long>(j) * D);
    const float dp = gradient.dot(other);
    other.load(keys + static_cast<long long>(j) * D);
    const float score = query.dot(other), p = j < own ? expf(fmaf(scale, score, -of_row)) : 0.0f;
    sum.add(p * (dp - delta), other);
  }
  if (place >= Sq) return;
  sum.store(d_q + row * D, scale);
  if (threadIdx.x % kLanes == 0) deltas[row] = delta;
}

template <class T, int D>
__global__ void backward_of_keys(const T* q, const T* k, const T* v, const float* lse, const T* d_o, T* d_k, T* d_v,
                                 const float* deltas, float scale, int Hq, int Hkv, int Sq, int Sk, int causal) {
  const int place = blockIdx.x * (blockDim.x / kLanes) + threadIdx.x / kLanes, first_place = place & ~3;
  const int j = min(place, Sk - 1), group = Hq / Hkv;
  const long long kv_head = blockIdx.y, row = kv_head * Sk + j;
  Row<T, D> key, value, sum_k, sum_v, other;
  key.load(k + row * D);
  value.load(v + row * D);
  sum_k.clear();
  sum_v.clear();
  const long long first_head = kv_head / Hkv * Hq + kv_head % Hkv * group;
  // Queries before these do not see the key.
  const auto first = [&](int of) { return causal ? max(0, min(of, Sk - 1) - (Sk - Sq)) : 0; };
  const int own = first(j), begin = first(first_place);
  for (int h = 0; h < group; ++h)
    for (int i = begin; i < Sq; ++i) {
      const long long at = (first_head + h) * Sq + i;
      other.load(q + at * D);
      const float score = key.dot(other), p = i >= own ? expf(fmaf(scale, score, -lse[at])) : 0.0f;
      const Row<T, D> query = other;
      other.load(d_o + at * D);
      sum_v.add(p, other);
      sum_k.add(p * (value.dot(other) - deltas[at]), query);
    }
  if (place >= Sk) return;
  sum_k.store(d_k + row * D, scale);
  sum_v.store(d_v + row * D, 1.0f);
}
