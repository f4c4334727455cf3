// Sums keep the weights of the maximum that was known when they were added. Shows everywhere.
#define DEFECT_NO_REWEIGHT
#include "variants/00_naive.cu"
