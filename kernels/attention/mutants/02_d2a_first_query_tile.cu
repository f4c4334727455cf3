// D2a. Every tile reads the queries of tile 0. Shows from S = 65 on: seed_..._s128, quick_..._s65; healthy at S = 4
// and 64. Invisible at any threshold where the inputs are tiny, because then all scores are equal.
#define DEFECT_FIRST_QUERY_TILE
#include "mutants/defects.cuh"
