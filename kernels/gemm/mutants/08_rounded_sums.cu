// Sums are rounded to 16 bits after each slice.
#define DEFECT_ROUND
#include "mutants/defects.cuh"
