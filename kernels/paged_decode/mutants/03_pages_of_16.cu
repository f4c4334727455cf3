// Every page is taken to have 16 rows. Healthy where it has; shows on quick_b3h2l48d128p8_bf16 and at random points.
#define DEFECT_PAGES_OF_16
#include "variants/00_naive.cu"
