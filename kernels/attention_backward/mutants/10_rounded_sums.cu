// d_q is rounded to 16 bits after each tile of keys. Shows with many tiles.
#define DEFECT_ROUNDED_SUMS
#include "mutants/defects.cuh"
