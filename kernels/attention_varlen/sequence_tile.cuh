#pragma once
#include <harness/exp2.cuh>

#include "sequences.cuh"

// What the variants that take tiles of queries share.

constexpr float kLog2E = 1.4426950408889634f;

/// Elements from one row to the next.
struct SequencePitch {
  int queries, keys;
};

/// Scores as the product gives them become logits in units of log2, in two steps: bent() before the mask, then a factor
/// in the multiply-add before exp2.
template <bool CAPPED>
struct Logits {
  float inner, factor;

  __device__ Logits(float scale, float cap)
      : inner(CAPPED ? 2 * kLog2E * scale / cap : 1), factor(kLog2E * (CAPPED ? cap : scale)) {}

  /// CAPPED: tanh(x) = 1 - 2 / (exp(2 x) + 1), whose error of 2^-22 stays small times the cap; tanh.approx has 2^-11.
  __device__ float bent(float score) const {
    if constexpr (!CAPPED) return score;
    else return 1.0f - __fdividef(2.0f, harness::exp2_approx(score * inner) + 1.0f);
  }
};

/// Tile n of all tiles of queries of a batch. Sequence b has those from starts[b] / block_m + b on, up to those of the
/// next one: never fewer than it needs, and the last one may have no rows. So Tq / block_m + B tiles are enough
/// whatever the lengths are, and one search in the list of starts finds the sequence.
struct SequenceTile {
  int first_query, queries;  // rows of the packed tensor; none where `queries` <= 0
  int first_key, keys;       // of the sequence
  int position;              // of the first query; positions and keys count from the sequence's first key
  int begin, end;            // of the keys that any row sees
  Sight sight;

  __device__ SequenceTile(int n, int block_m, const int* cu_q, const int* cu_k, int B, Sight sight) : sight(sight) {
    int low = 0, high = B;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      if (cu_q[middle] / block_m + middle <= n) low = middle;
      else high = middle;
    }
    const int start = cu_q[low], behind = cu_q[low + 1];
    first_query = start + (n - start / block_m - low) * block_m;
    queries = min(block_m, behind - first_query);
    first_key = cu_k[low];
    keys = cu_k[low + 1] - first_key;
    position = first_query - behind + keys;
    begin = min(sight.first(position), keys);
    end = queries > 0 ? sight.end(position + queries - 1, keys) : 0;
  }

  __device__ int first_seen(int row) const { return sight.first(position + row); }
  __device__ int last_seen(int row) const { return sight.end(position + row, keys) - 1; }
};

/// A tile's rows, as harness::MmaTile asks for them.
template <bool CAPPED>
struct SequenceRows {
  static constexpr bool kHasFirst = true;
  SequenceTile tile;
  Logits<CAPPED> logits;

  __device__ int last_key(int row) const { return tile.last_seen(row); }
  __device__ int last_of_all() const { return tile.last_seen(0); }
  __device__ int last_of_any(int, int last) const { return tile.last_seen(last); }
  __device__ int first_key(int row) const { return tile.first_seen(row); }
  __device__ int first_of_all() const { return tile.first_seen(tile.queries - 1); }
  __device__ int first_of_any(int first) const { return tile.first_seen(first); }
  __device__ float bent(float score) const { return logits.bent(score); }
};
