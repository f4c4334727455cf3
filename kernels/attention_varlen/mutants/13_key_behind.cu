// The next sequence's first key is seen, too. Shows without a mask only: the diagonal hides it.
#define DEFECT_KEY_BEHIND
#include "mutants/defects.cuh"
