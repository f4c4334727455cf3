// The bias follows the rows.
#define DEFECT_BIAS (row % N)
#define DEFECT_EPILOGUE (plain.activate(sum + of_bias) * of_other + of_residual)
#include "mutants/defects.cuh"
