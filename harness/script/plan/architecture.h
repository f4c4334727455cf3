#pragma once
#include <optional>
#include <string>

namespace harness::script {

/// `requires = { arch = ... }`: ">=80" is 8.0 and everything after it, "90" (or "==90") exactly 9.0. A trailing "a"
/// asks for instructions of one architecture only, which no later one has: ">=90a" and "90a" both mean exactly 9.0.
struct ArchitectureRequirement {
  int capability = 0;  // 90
  bool exactly = false;
};

std::optional<ArchitectureRequirement> parse_requirement(const std::string& text);
bool meets(const ArchitectureRequirement& requirement, int compute_capability);

}  // namespace harness::script
