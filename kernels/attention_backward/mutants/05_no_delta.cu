// dS = P * dP: delta is forgotten.
#define DEFECT_NO_DELTA
#include "mutants/defects.cuh"
