// b is always taken to be [N, K].
#define DEFECT_LINEAR true
#include "mutants/defects.cuh"
