// A query without keys is divided by nothing. Shows in sequences without keys, or with fewer keys than queries.
#define DEFECT_NO_KEYS
#include "mutants/defects.cuh"
