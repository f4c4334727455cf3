// Weights are those of the token's next expert.
#define DEFECT_WEIGHT (at / H * of_token + (k < K ? (k + 1) % K : k))
#include "mutants/defects.cuh"
