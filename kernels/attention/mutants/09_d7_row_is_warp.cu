// D7. A warp works on the one row that has its number: 8 of 64 are done. Shows from S = 9 on; the others combine what
// the workspaces happened to hold.
#define DEFECT_ROW_IS_WARP
#include "mutants/defects.cuh"
