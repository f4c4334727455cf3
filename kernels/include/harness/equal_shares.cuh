#pragma once

// Sequences of different lengths as one line of units (some keys, a page), which blocks share equally. Dividing each
// sequence by itself makes the block with the longest piece the last to end; here no share is larger than another by
// more than a unit. A share may begin and end inside of a sequence.
namespace harness {

/// In shared memory. MOST: sequences at most.
template <int MOST>
struct EqualShares {
  int first[MOST + 1];  // unit u is one of sequence b if first[b] <= u < first[b + 1]
  int sequences;

  /// By all threads; each sequence has at least one element, and `unit` elements make a unit. One trip to memory for 32
  /// lengths.
  __device__ void lay_out(const int* lengths, int count, int unit) {
    if (threadIdx.x < 32) {
      const int lane = threadIdx.x;
      int before = 0;
      for (int group = 0; group < count; group += 32) {
        const int b = group + lane;
        int units = b < count ? (lengths[b] + unit - 1) / unit : 0;
#pragma unroll
        for (int step = 1; step < 32; step *= 2) {
          const int lower = __shfl_up_sync(0xffffffffu, units, step);
          if (lane >= step) units += lower;
        }
        if (b < count) first[b + 1] = before + units;
        before += __shfl_sync(0xffffffffu, units, 31);
      }
      if (lane == 0) {
        first[0] = 0;
        sequences = count;
      }
    }
    __syncthreads();
  }

  __device__ int units() const {
    return first[sequences];
  }
  /// Shares that a grid of `blocks` makes: none is empty.
  __device__ int shares(int blocks) const {
    return min(blocks, units());
  }
  /// The first unit of share `share` of `shares`; of the one behind the last: units().
  __device__ int begin(int share, int shares) const {
    return static_cast<int>(static_cast<long long>(units()) * share / shares);
  }
  /// The share that has `unit`.
  __device__ int owner(int unit, int shares) const {
    int share = static_cast<int>(static_cast<long long>(unit) * shares / units());
    while (begin(share + 1, shares) <= unit) ++share;
    return share;
  }
  __device__ int sequence_of(int unit) const {
    int low = 0, high = sequences;  // first[low] <= unit < first[high]
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      if (first[middle] <= unit) low = middle;
      else high = middle;
    }
    return low;
  }
};

}  // namespace harness
