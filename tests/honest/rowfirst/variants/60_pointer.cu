// Which of two ways a row is added is chosen by pointers to functions.
using Step = void (*)(float&, float);
__device__ __forceinline__ void add(float& sum, float value) {
  sum += value;
}
__device__ __forceinline__ void skip(float&, float) {}
__device__ __forceinline__ bool greater(float left, float right) {
  return left > right;
}
template <bool (*kAbove)(float, float)>
__device__ int first_of(const float* in, int columns) {
  int place = 0;
  for (int j = 1; j < columns; ++j)
    if (kAbove(in[j], in[place])) place = j;
  return place;
}
__device__ void run(Step step, float& sum, float value) {
  step(sum, value);
}
__global__ void rowfirst(const float* x, float* largest, int* at, float* sum, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* const in = x + static_cast<long long>(row) * columns;
  const Step steps[2] = {skip, add};
  Step chosen = skip;
  float positive = 0;
  for (int j = 0; j < columns; ++j) {
    chosen = in[j] > 0.0f ? add : skip;
    chosen(positive, in[j]);
    run(steps[0], positive, in[j]);
  }
  const int place = first_of<greater>(in, columns);
  largest[row] = in[place];
  at[row] = place;
  sum[row] = positive;
}
