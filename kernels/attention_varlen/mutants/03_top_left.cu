// Query i of a sequence stands at position i, not bottom right. Shows where both lengths differ.
#define DEFECT_TOP_LEFT
#include "mutants/defects.cuh"
