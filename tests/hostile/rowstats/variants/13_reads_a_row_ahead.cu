#include "honest.cuh"

// B13. Reads the first value of the row behind each row, past the end of the inputs in the last one. What it reads is
// multiplied by zero, so no output shows it, unless it is no number.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  const T* in = x + static_cast<long long>(row) * columns;
  answer_row(x, sum, largest, row, columns);
  const float ahead = harness::to_float(*const_cast<const volatile T*>(in + columns + 8) == 0 ? in[0] : in[0]);
  if (ahead != ahead) sum[row] = ahead;
}
