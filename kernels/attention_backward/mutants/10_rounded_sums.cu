// d_q is added up in 16 bits. Shows with many keys.
#define DEFECT_ROUNDED_SUMS
#include "mutants/defects.cuh"
