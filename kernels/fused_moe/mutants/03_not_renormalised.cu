// The weights of the chosen experts are those of the softmax over all.
#define DEFECT_TOTAL of_all
#include "mutants/defects.cuh"
