// D1. A partial result, which was never divided by its sum, is multiplied by the sum as if it had been. Shows
// everywhere, even with one tile: seed and quick workloads, with a relative L2 error of 9 at S = 64.
#define DEFECT_DOUBLE_LOCAL_SUM
#include "mutants/defects.cuh"
