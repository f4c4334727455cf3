// The second product has the weights of the expert before, for experts that begin at an odd row.
#define DEFECT_EXPERT (expert - (expert > 0 && begin[expert] % 2 == 1))
#include "mutants/defects.cuh"
