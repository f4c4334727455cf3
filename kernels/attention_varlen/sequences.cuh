#pragma once

// What all variants ask of the batch: whose a packed row is, and which keys a query sees (kernel.lua has the rule).

/// The sequence of packed row `row`: the last b with starts[b] <= row. Sequences without rows are passed over.
__device__ inline int sequence_of(const int* starts, int B, int row) {
  int low = 0, high = B;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (starts[middle] <= row) low = middle;
    else high = middle;
  }
  return low;
}

/// Positions and keys count from a sequence's first key. The query at `position` sees the keys [first, end).
struct Sight {
  int window;  // 0: none
  bool causal;

  __device__ int first(int position) const { return window > 0 ? max(0, position - window + 1) : 0; }
  __device__ int end(int position, int keys) const {
    if (!causal && window == 0) return keys;
    return min(keys, max(0, position + (causal ? 1 : window)));
  }
};
