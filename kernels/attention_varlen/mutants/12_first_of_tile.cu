// A tile of 64 packed queries belongs to its first row's sequence. Shows where a sequence begins within a tile.
#define DEFECT_FIRST_OF_TILE
#include "mutants/defects.cuh"
