// The expert that all share is left out.
#define DEFECT_TIMES (k < K)
#include "mutants/defects.cuh"
