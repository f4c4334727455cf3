#include "plain_partial.cuh"
