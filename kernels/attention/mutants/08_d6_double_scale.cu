// D6. Scores are scaled twice. Shows with inputs of unit scale everywhere that a query sees more than one key;
// invisible with tiny inputs.
#define DEFECT_DOUBLE_SCALE
#include "mutants/defects.cuh"
