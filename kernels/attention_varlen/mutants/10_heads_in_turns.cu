// Query head h reads key head h % Hkv. Shows where heads share keys.
#define DEFECT_HEADS_IN_TURNS
#include "mutants/defects.cuh"
