// A window has one key more. Shows with a window that is shorter than a sequence.
#define DEFECT_WINDOW_WIDER
#include "mutants/defects.cuh"
