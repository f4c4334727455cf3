// d_k is not multiplied by the softmax scale; d_q is.
#define DEFECT_NO_SCALE
#include "mutants/defects.cuh"
