// D2b. The causal mask compares the key with the row inside the tile instead of with the query. Shows where causal and
// from S = 65 on: quick_..._s65_causal.
#define DEFECT_MASK_IN_TILE
#include "mutants/defects.cuh"
