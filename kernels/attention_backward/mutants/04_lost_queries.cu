// The ragged last tile of queries adds nothing to d_k and d_v.
#define DEFECT_LOST_QUERIES
#include "mutants/defects.cuh"
