// Columns behind the last whole tile are not written.
#define DEFECT_WIDTH (N / 16 * 16)
#include "mutants/defects.cuh"
