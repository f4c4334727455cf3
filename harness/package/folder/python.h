#pragma once
#include <map>
#include <string>

#include "harness/package/launcher/launcher.h"

namespace harness::package {

/// The files of the folder python/NAME.
std::map<std::string, std::string> python_files(const Launcher& launcher);

/// One line that calls it, "o, lse = attention.run(q, k, v, scale, causal=False)".
std::string python_call(const Launcher& launcher);

}  // namespace harness::package
