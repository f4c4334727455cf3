// Sums are rounded to 16 bits after each product.
#define DEFECT_SUM(sum) harness::to_float(harness::from_float<Bf16>(sum))
#include "mutants/defects.cuh"
