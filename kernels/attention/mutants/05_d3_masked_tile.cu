// D3. A tile that is masked for a whole row is not skipped, and exp(-inf - -inf) is NaN. Shows where causal and from S
// = 65 on: 64 rows of a head in quick_..._s65_causal; healthy at S = 4 and 64.
#define DEFECT_MASKED_TILE
#include "mutants/defects.cuh"
