// The causal mask is off by one: no query sees the key of its own place.
#define DEFECT_DIAGONAL
#include "mutants/defects.cuh"
