// The last key of a sequence is left out. Hardest to see in long ones.
#define DEFECT_FORGETS_LAST
#include "variants/00_naive.cu"
