#pragma once
#include <string>
#include <vector>

#include "harness/core/plan.h"
#include "harness/cpp_text/closure.h"

namespace harness::cpu {

/// The files of a make rule as g++ -MD writes it, without `source` itself.
std::vector<std::string> read_dependencies(const std::string& rule_file, const std::string& source);

/// Takes the system's headers out of the list, all that lies in a folder of the toolchain and in none of the build's:
/// the compiler's version stands for them. (-MMD takes out too many: also what is included behind
/// `#pragma GCC system_header`.)
void take_out_system_headers(std::vector<std::string>& files, const std::vector<std::string>& include_dirs,
                             const std::vector<std::string>& toolchain);

/// The compiler's word against the reader's: a sentence on the first of the files that g++ read although `included`
/// does not have it, so that no hash covers it; "" if there is none. The emulation's headers do not count.
std::string uncovered_dependency(const std::vector<std::string>& files, const cpp_text::IncludeClosure& included,
                                 const std::string& emulation, const std::string& source_name);

}  // namespace harness::cpu
