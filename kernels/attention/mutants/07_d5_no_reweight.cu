// D5. Partial results are added without the factor exp(own maximum - overall maximum). Shows from S = 65 on, where
// there is more than one range of keys, by 2.6 % at S = 65 causal and 29 % at S = 128; large logits make it large,
// tiny inputs make it invisible.
#define DEFECT_NO_REWEIGHT
#include "mutants/defects.cuh"
