// The bias follows the rows.
#define DEFECT_BIAS (row % N)
#include "mutants/defects.cuh"
