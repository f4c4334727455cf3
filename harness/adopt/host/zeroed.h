#pragma once
#include <set>
#include <string>

#include "harness/adopt/host/resolver.h"

namespace harness::adopt {

/// Parameters whose arrays hold zeros when the launch begins: the last that its function does to them before it is
/// cudaMemset(pointer, 0, ...), torch::zeros or zero_().
std::set<std::string> zeroed_arguments(const KernelLaunch& at);

}  // namespace harness::adopt
