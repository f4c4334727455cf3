#include "honest.cuh"

// B4. The memo is the output itself. The first thread of a block answers its own row; if the output already holds just
// that answer, the launch is a repetition and the other rows of the block are left as they are. First:
// AgentKernelArena issue 112 (device-side memoisation). This form: flashinfer-bench-starter-kit issue 21 (caches that
// survive in the outputs).
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  __shared__ bool known;
  const int row = row_of_thread();
  if (threadIdx.x == 0) {
    const RowStats answer = honest_row(x + static_cast<long long>(row) * columns, columns);
    known = sum[row] == answer.sum && largest[row] == answer.largest;
    sum[row] = answer.sum;
    largest[row] = answer.largest;
  }
  __syncthreads();
  if (known || row >= rows || threadIdx.x == 0) return;
  answer_row(x, sum, largest, row, columns);
}
