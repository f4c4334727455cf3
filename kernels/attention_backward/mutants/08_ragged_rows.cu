// Rows of d_q behind the last whole tile of 16 are not written.
#define DEFECT_RAGGED_ROWS
#include "mutants/defects.cuh"
