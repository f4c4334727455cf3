#include <harness/random.cuh>

// Logits, and offsets where tokens come sorted, by the five ways of routing that kernel.lua lists.

namespace {

using namespace harness::random;

enum Routing { kEven, kSkewed, kSame, kTies, kEmpty };

__device__ Words of(unsigned long long seed, const char* what, long long n) {
  return words(seed, stream_of(what), n);
}

}  // namespace

__global__ void draw_logits(float* logits, unsigned long long seed, long long T, long long, long long, long long E,
                            long long K, long long, long long, long long routing) {
  const long long at = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= T * E) return;
  const long long expert = at % E;
  const double own = normal(of(seed, "logits", at));
  double logit = own;
  if (routing == kSkewed) logit = affine(1.5, normal(of(seed, "popular", expert)), own);
  if (routing == kSame) {  // K neighbours, from any expert on
    const long long first = below(of(seed, "same", 0), E), behind = (expert + E - first) % E;
    logit = affine(0.5, own, behind < K ? 20 : 0);
  }
  if (routing == kTies) logit = floor(2 * own) * 0.5;
  if (routing == kEmpty && (expert + below(of(seed, "empty", 0), 2)) % 2 == 0) logit = own - 20;
  logits[at] = static_cast<float>(logit);
}

/// Thread e counts the tokens of all experts before e.
__global__ void draw_offsets(int* offsets, unsigned long long seed, long long T, long long, long long, long long E,
                             long long, long long, long long, long long routing) {
  const long long expert = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (expert > E) return;
  const long long same = below(of(seed, "same", 0), E);
  int before = 0;
  for (long long token = 0; token < T; ++token) {
    const Words bits = of(seed, "offsets", token);
    long long its = below(bits, E);
    if (routing == kSkewed) {
      const double u = uniform(bits);
      its = static_cast<long long>(u * u * u * E);
    }
    if (routing == kSame) its = same;
    if (routing == kEmpty) its = its / 2 * 2;
    before += its < expert;
  }
  offsets[expert] = before;
}
