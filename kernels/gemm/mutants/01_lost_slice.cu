// The last slice of K is lost where K is no multiple of 16.
#define DEFECT_DEPTH (K - 8)
#include "mutants/defects.cuh"
