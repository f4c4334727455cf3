// Pairs that do not see each other are multiplied by 0: inf * 0 where a row sees no key.
#define DEFECT_BLIND_ROWS
#include "mutants/defects.cuh"
