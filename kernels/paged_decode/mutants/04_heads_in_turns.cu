// Query head h reads key head h % Hkv. Healthy where every head has its own; shows on quick_b2h4kv2l128p16_f16.
#define DEFECT_HEADS_IN_TURNS
#include "variants/00_naive.cu"
