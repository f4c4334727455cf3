// D8. A third of the result is lost: the output is 0.675 of what it should be. Shows everywhere; passes an absolute
// tolerance of 0.1 where the inputs are small.
#define DEFECT_LOST_SHARE
#include "mutants/defects.cuh"
