#include "honest.cuh"

// B19. Includes a file of the machine by a digraph.
%:include "/etc/hostname"
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  answer_row(x, sum, largest, row, columns);
}
