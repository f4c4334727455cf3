#include "honest.cuh"

// B12. Uses the row of the inputs as its running total and puts every value back before it ends: who looks afterwards
// finds nothing, who shares the inputs while it runs reads nonsense.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  T* in = const_cast<T*>(x) + static_cast<long long>(row) * columns;
  volatile T* kept = in;
  const RowStats answer = honest_row(in, columns);
  const float first = harness::to_float(in[0]);
  *const_cast<T*>(kept) = harness::from_float<T>(answer.sum);
  __threadfence();
  sum[row] = answer.sum;
  largest[row] = answer.largest;
  __threadfence();
  *const_cast<T*>(kept) = harness::from_float<T>(first);
}
