// Where an empty sequence begins, it gets the next one's first query. Shows with empty sequences only.
#define DEFECT_EMPTY_SEQUENCE
#include "mutants/defects.cuh"
