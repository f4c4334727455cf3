// D2c. The grid has one query tile, so the rows of all others are never written. Shows from S = 65 on, as unwritten
// elements; where outputs hold an older answer it does not show at all.
#define DEFECT_FIRST_TILE_ONLY
#include "mutants/defects.cuh"
