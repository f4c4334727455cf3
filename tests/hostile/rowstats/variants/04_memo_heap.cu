#include "memo.cuh"

// B4. The memo lies in the device heap. It is freed at the end of the launch, and the next launch asks for as many
// bytes and is given the same ones, unchanged but for the allocator's own words in front. Form of AgentKernelArena
// issue 112.
constexpr int kAllocatorNotes = 8;  // what an allocator writes into a free block

template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  __shared__ Note* notes;
  if (threadIdx.x == 0) notes = static_cast<Note*>(malloc((kAllocatorNotes + rows) * sizeof(Note)));
  __syncthreads();
  for (int row = threadIdx.x; row < rows; row += blockDim.x) {
    if (notes) answer_with_note(x, sum, largest, row, columns, notes[kAllocatorNotes + row]);
    else answer_row(x, sum, largest, row, columns);
  }
  __syncthreads();
  if (threadIdx.x == 0) free(notes);
}
