// The rows of an expert behind its last whole tile of 16 are lost.
#define DEFECT_ROWS ((begin[expert + 1] - begin[expert]) / 16 * 16 + (begin[expert + 1] - begin[expert] < 16 ? 16 : 0))
#include "mutants/defects.cuh"
