#pragma once
#include <map>
#include <string>

#include "harness/core/json.h"

namespace harness::problem {

/// The files of kernels/NAME, by their paths below it: kernel.lua, reference.py, and the launch and the skeleton of a
/// naive kernel (variants/00_naive). `observed` is what observe() returned; `file`: where it came from.
std::map<std::string, std::string> plugin_files(const std::string& name, const std::string& file, const json& observed);

}  // namespace harness::problem
