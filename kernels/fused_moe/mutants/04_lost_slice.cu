// The last slice of K is lost where the hidden size is no multiple of 16.
#define DEFECT_DEPTH (H > 8 ? H / 16 * 16 : H)
#include "mutants/defects.cuh"
