// The last expert of the last token counts twice.
#define DEFECT_TIMES (k == of_token - 1 && at / H == T - 1 && T > 2 ? 2 : 1)
#include "mutants/defects.cuh"
