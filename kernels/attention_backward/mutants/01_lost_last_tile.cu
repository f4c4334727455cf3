// The last tile of keys adds nothing to d_q. Shows with more than one tile.
#define DEFECT_LOST_LAST_TILE
#include "mutants/defects.cuh"
