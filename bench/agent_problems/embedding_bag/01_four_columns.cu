// Four columns a thread, the bag from the grid, the bag's picks read ahead in 32 bits.
__global__ void __launch_bounds__(BLOCK)
    embedding_bag(const float* table, const int* picks, float* out, long long bags, long long picks_of_bag,
                  long long rows, long long columns) {
  const int wide = static_cast<int>(columns), many = static_cast<int>(picks_of_bag);
  const int bag = blockIdx.y;
  const int* const mine = picks + static_cast<long long>(bag) * many;
  if (wide % 4 == 0) {
    const int at = blockIdx.x * BLOCK + threadIdx.x, fours = wide / 4;
    if (at >= fours) return;
    const float4* const rows_of_fours = reinterpret_cast<const float4*>(table);
    float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 8
    for (int k = 0; k < many; ++k) {
      const float4 four = rows_of_fours[static_cast<long long>(mine[k]) * fours + at];
      sum.x += four.x, sum.y += four.y, sum.z += four.z, sum.w += four.w;
    }
    reinterpret_cast<float4*>(out)[static_cast<long long>(bag) * fours + at] = sum;
    return;
  }
  for (int c = blockIdx.x * BLOCK + threadIdx.x; c < wide; c += gridDim.x * BLOCK) {
    float sum = 0;
    for (int k = 0; k < many; ++k) sum += table[static_cast<long long>(mine[k]) * wide + c];
    out[static_cast<long long>(bag) * wide + c] = sum;
  }
}
