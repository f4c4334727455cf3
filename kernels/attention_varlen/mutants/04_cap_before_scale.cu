// The soft cap bends the product before it is scaled. Shows with a cap.
#define DEFECT_CAP_BEFORE_SCALE
#include "mutants/defects.cuh"
