// A warp a row: each lane its own, then five unrolled rounds of shuffles.
__global__ void rowfirst(const float* x, float* largest, int* at, float* sum, int rows, int columns) {
  const int row = blockIdx.x, lane = threadIdx.x;
  const float* const in = x + static_cast<long long>(row) * columns;
  float most = in[0], positive = 0;
  int place = 0;
  for (int j = lane; j < columns; j += 32) {
    if (in[j] > most) most = in[j], place = j;
    positive += fmaxf(in[j], 0.0f);
  }
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    const float other = __shfl_xor_sync(0xffffffffu, most, offset);
    const int theirs = __shfl_xor_sync(0xffffffffu, place, offset);
    positive += __shfl_xor_sync(0xffffffffu, positive, offset);
    if (other > most || (other == most && theirs < place)) {
      most = other;
      place = theirs;
    }
  }
  if (lane == 0) {
    largest[row] = most;
    at[row] = place;
    sum[row] = positive;
  }
}
