// d_k and d_v are those of the first query head of each group. Shows with shared heads only.
#define DEFECT_ONE_HEAD
#include "mutants/defects.cuh"
