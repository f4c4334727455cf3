#pragma once

namespace harness::cuda {

/// CUDA C++ of the kernels that refresh input sets (input_sets.h). It is also valid for the cpu device, where a test
/// compares it with judge::rotate.
///   harness_refresh(sets, pristine, stride, images, first_set, phase, refresh, key0, key1, rotations, count)
///   harness_relocate(sets, stride, first_set, relocations, count)
extern const char* const kRefreshSource;

}  // namespace harness::cuda
