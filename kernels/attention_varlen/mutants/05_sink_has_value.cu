// The sink brings a value: that of the first key. Shows with sinks.
#define DEFECT_SINK_HAS_VALUE
#include "mutants/defects.cuh"
