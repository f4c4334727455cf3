#pragma once
#include <string>

#include "harness/core/catalog.h"
#include "harness/package/origin.h"

namespace harness::package {

/// One source file with main(), for nvcc alone: it draws inputs, runs both candidates through their plans, compares
/// what they wrote and prints the error and the time of both. Both are realized on the same workload and device. Throws
/// Error(bad_input), one sentence, for what cannot be had without harness: a library's step, inputs drawn by a kernel's
/// own code, packed types, options of the compiler in which the two differ.
std::string standalone_program(const Realized& original, const Realized& winner, const Origin& origin);

}  // namespace harness::package
