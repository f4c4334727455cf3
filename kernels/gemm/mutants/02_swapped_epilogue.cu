// The gate is multiplied before the activation.
#define DEFECT_BIAS column
#define DEFECT_EPILOGUE (plain.activate((sum + of_bias) * of_other) + of_residual)
#include "mutants/defects.cuh"
