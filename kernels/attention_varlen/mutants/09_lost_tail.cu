// The last tile of keys is left out where it is not full. Shows in sequences of more than a tile.
#define DEFECT_LOST_TAIL
#include "mutants/defects.cuh"
