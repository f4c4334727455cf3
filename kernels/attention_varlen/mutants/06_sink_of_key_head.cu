// Sinks are taken by key head. Shows with sinks where heads share keys.
#define DEFECT_SINK_OF_KEY_HEAD
#include "mutants/defects.cuh"
