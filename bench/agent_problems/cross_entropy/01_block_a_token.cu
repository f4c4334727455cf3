// A block a token: one pass with a running maximum and sum for each thread, then over the block.
struct Sum {
  float largest, sum;
};

__device__ Sum joined(Sum a, Sum b) {
  const float largest = fmaxf(a.largest, b.largest);
  return {largest, a.sum * __expf(a.largest - largest) + b.sum * __expf(b.largest - largest)};
}

__device__ void take(Sum& so_far, float value) {
  if (value <= so_far.largest) {
    so_far.sum += __expf(value - so_far.largest);
  } else {
    so_far.sum = so_far.sum * __expf(so_far.largest - value) + 1.0f;
    so_far.largest = value;
  }
}

__global__ void __launch_bounds__(BLOCK)
    cross_entropy(const float* logits, const int* target, float* out, long long tokens, long long words) {
  __shared__ Sum partial[BLOCK / 32];
  const int size = static_cast<int>(words);
  const float* const line = logits + static_cast<long long>(blockIdx.x) * size;
  Sum mine = {-3.402823466e38f, 0.0f};
  if (size % 4 == 0) {
    const float4* const fours = reinterpret_cast<const float4*>(line);
#pragma unroll 4
    for (int i = threadIdx.x; i < size / 4; i += BLOCK) {
      const float4 four = fours[i];
      const float largest = fmaxf(fmaxf(four.x, four.y), fmaxf(four.z, four.w));
      const float over = fmaxf(mine.largest, largest);
      mine.sum = mine.sum * __expf(mine.largest - over) + __expf(four.x - over) + __expf(four.y - over) +
                 __expf(four.z - over) + __expf(four.w - over);
      mine.largest = over;
    }
  } else {
    for (int i = threadIdx.x; i < size; i += BLOCK) take(mine, line[i]);
  }
  for (int step = 16; step > 0; step /= 2) {
    const Sum other = {__shfl_xor_sync(0xffffffffu, mine.largest, step), __shfl_xor_sync(0xffffffffu, mine.sum, step)};
    mine = joined(mine, other);
  }
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < BLOCK / 32; ++warp) mine = joined(mine, partial[warp]);
  out[blockIdx.x] = mine.largest + logf(mine.sum) - line[target[blockIdx.x]];
}
