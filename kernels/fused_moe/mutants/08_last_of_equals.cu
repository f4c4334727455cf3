// Of experts with equal logits the last is chosen.
#define DEFECT_BETTER (own[e] >= own[best])
#include "mutants/defects.cuh"
