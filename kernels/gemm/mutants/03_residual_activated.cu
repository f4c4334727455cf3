// The residual is added before the activation.
#define DEFECT_EPILOGUE (activate(sum + of_bias + of_residual) * of_other)
#include "mutants/defects.cuh"
