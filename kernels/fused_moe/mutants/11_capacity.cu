// An expert drops tokens beyond twice its fair share.
#define DEFECT_ROWS (2 * ((rows + experts - 1) / experts) + 1)
#include "mutants/defects.cuh"
