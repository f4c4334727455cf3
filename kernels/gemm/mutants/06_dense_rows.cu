// Rows of a are taken to be dense.
#define DEFECT_PITCH (static_cast<long long>(K))
#include "mutants/defects.cuh"
