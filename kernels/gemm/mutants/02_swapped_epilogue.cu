// The gate is multiplied before the activation.
#define DEFECT_EPILOGUE (activate((sum + of_bias) * of_other) + of_residual)
#include "mutants/defects.cuh"
