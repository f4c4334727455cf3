// A window reaches into the sequence before. Shows with a window, behind the first sequence.
#define DEFECT_WINDOW_LEAVES
#include "mutants/defects.cuh"
