// Where sequences begin, from `order`: sequence b has the lengths of rank order[b]. kernel.lua says what `lengths`
// means, and counts by the same arithmetic.

namespace {

enum Lengths { kAlike, kSkewed, kMixed, kApart };

/// The sum of the first n of all weights, of `count` ranks.
__device__ long long weights(int kind, long long count, long long n) {
  return kind == kSkewed ? n * (n + 1) * (2 * n + 1) / 6 : n * count + n * (n - 1) / 2;
}

/// What rank r of `count` gets of `total`.
__device__ long long share(int kind, long long total, long long count, long long r) {
  const long long all = weights(kind, count, count);
  return total * weights(kind, count, r + 1) / all - total * weights(kind, count, r) / all;
}

/// Ranks below n that share where those of r % 3 == `without` get nothing.
__device__ long long sharing(long long n, int without) {
  return n - (n + 2 - without) / 3;
}

__device__ long long thirds(long long total, long long count, long long r, int without) {
  const long long all = sharing(count, without);
  if (all == 0) return share(kSkewed, total, count, r);
  return r % 3 == without ? 0 : share(kSkewed, total, all, sharing(r, without));
}

struct Batch {
  long long B, Tq, Tk;
  int lengths;

  __device__ int kind() const { return lengths == kSkewed ? kSkewed : kAlike; }

  __device__ long long queries(long long r) const {
    if (lengths == kApart) return thirds(Tq, B, r, 0);
    if (lengths != kMixed) return share(kind(), Tq, B, r);
    const long long single = 3 * B / 4, steps = min(single, Tq);
    return r < single ? r < steps : share(kAlike, Tq - steps, B - single, r - single);
  }
  __device__ long long keys(long long r) const {
    if (lengths == kApart) return thirds(Tk, B, B - 1 - r, 1);
    return Tk < Tq ? share(kind(), Tk, B, r) : queries(r) + share(kind(), Tk - Tq, B, r);
  }
};

}  // namespace

__global__ void draw_queries(const int* order, int* cu, unsigned long long, long long B, long long Tq, long long Tk,
                             long long lengths, long long, long long, long long, long long, long long) {
  const long long b = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (b > B) return;
  const Batch batch{B, Tq, Tk, static_cast<int>(lengths)};
  long long before = 0;
  for (long long i = 0; i < b; ++i) before += batch.queries(order[i]);
  cu[b] = static_cast<int>(before);
}

__global__ void draw_keys(const int* order, int* cu, unsigned long long, long long B, long long Tq, long long Tk,
                          long long lengths, long long, long long, long long, long long, long long) {
  const long long b = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (b > B) return;
  const Batch batch{B, Tq, Tk, static_cast<int>(lengths)};
  long long before = 0;
  for (long long i = 0; i < b; ++i) before += batch.keys(order[i]);
  cu[b] = static_cast<int>(before);
}
