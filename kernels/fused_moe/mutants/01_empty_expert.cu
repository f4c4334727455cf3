// Rows behind an expert without tokens get that one's weights.
#define DEFECT_NEXT (begin[expert + 1] < row + (begin[expert + 1] > begin[expert]))
#include "mutants/defects.cuh"
