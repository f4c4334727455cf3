// Keys begin where the sequence's queries begin. Shows where the lengths of both sides differ.
#define DEFECT_STARTS_OF_QUERIES
#include "mutants/defects.cuh"
