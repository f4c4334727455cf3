// D4. 32 rows share one maximum and sum: that of whichever was last. Shows everywhere that a tile has more than one
// row.
#define DEFECT_SHARED_STATISTICS
#include "mutants/defects.cuh"
