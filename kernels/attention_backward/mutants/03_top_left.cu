// The causal mask is aligned to the top left. Shows where the lengths differ.
#define DEFECT_TOP_LEFT
#include "mutants/defects.cuh"
