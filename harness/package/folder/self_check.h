#pragma once
#include <string>

#include "harness/package/folder/model.h"

namespace harness::package {

/// tests/check.cpp: a program that runs the winner and the original on each measured workload and compares. `scalars`
/// are taken from the contract on that workload.
std::string self_check(const PackageModel& model, FormulaCatalog& catalog);

}  // namespace harness::package
