// Pages are taken in the order in which they lie, without the table. Shows wherever the table is scattered.
#define DEFECT_IGNORES_TABLE
#include "variants/00_naive.cu"
