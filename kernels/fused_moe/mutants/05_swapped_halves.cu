// Gate and up change places.
#define DEFECT_INNER (up / (1 + expf(-up)) * gate)
#include "mutants/defects.cuh"
