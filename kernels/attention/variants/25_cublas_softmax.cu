#include <harness/convert.cuh>
#include <harness/infinity.cuh>
#include <harness/warp.cuh>

// Idea: attention as a library user writes it. cuBLAS multiplies q k^T into memory, this kernel turns each row of
// scores into weights, cuBLAS multiplies them with v. Every product runs at the full rate of the tensor cores. Cost:
// the scores go through memory: Sq * Sk floats are written and read, then half as many bytes of weights, which is
// quadratic in S where everything else that attention moves is linear; under a causal mask half of both products is
// thrown away; three launches. Stops: at once for long sequences (at S = 4096 and D = 128 scores and weights are 24
// times the bytes of q, k, v and o together), and for short ones at the launches. What remains is a fair middle: a few
// hundred keys, many heads.

// One block a row; scores and weights have `pitch` elements a row, of which the first Sk count. Where the mask hides a
// key its weight is 0; a row that sees no key gets all zeros and lse -inf. `lse` may be null.
template <class T, int THREADS>
__global__ void __launch_bounds__(THREADS)
    softmax_rows(const float* scores, T* weights, float* lse, float scale, int Sq, int Sk, int pitch, int causal) {
  constexpr int kWarps = THREADS / 32;
  __shared__ float of_warp[kWarps];
  const float log2e = 1.4426950408889634f;
  const long long row = blockIdx.x;
  const int visible = causal ? min(Sk, max(0, static_cast<int>(row % Sq) + Sk - Sq + 1)) : Sk;
  const float* in = scores + row * pitch;
  T* out = weights + row * pitch;
  const float factor = scale * log2e;  // from here on in units of log2: exp2 is one instruction

  float largest = -harness::kInfinity;
  for (int j = threadIdx.x; j < visible; j += THREADS) largest = fmaxf(largest, in[j] * factor);
  largest = harness::warp_max<32>(largest);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = largest;
  __syncthreads();
  for (int w = 0; w < kWarps; ++w) largest = fmaxf(largest, of_warp[w]);
  __syncthreads();

  float sum = 0;
  for (int j = threadIdx.x; j < visible; j += THREADS) sum += exp2f(in[j] * factor - largest);
  sum = harness::warp_sum<32>(sum);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int w = 0; w < kWarps; ++w) sum += of_warp[w];

  const float inverse = sum > 0 ? 1.0f / sum : 0.0f;
  for (int j = threadIdx.x; j < Sk; j += THREADS)
    out[j] = harness::from_float<T>(j < visible ? exp2f(in[j] * factor - largest) * inverse : 0.0f);
  if (lse && threadIdx.x == 0) lse[row] = sum > 0 ? largest * 0.6931471805599453f + logf(sum) : -harness::kInfinity;
}
