// GELU as x / (1 + exp(-1.702 x)), a common shortcut that is off by 0.02.
#define DEFECT_EPILOGUE ((gelu ? (sum + of_bias) / (1.0f + __expf(-1.702f * (sum + of_bias))) : activate(sum + of_bias)) * of_other + of_residual)
#include "mutants/defects.cuh"
