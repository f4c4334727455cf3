#pragma once
#include <string>
#include <vector>

namespace harness::package {

/// One line of a guard: a workload, and what came of it.
struct GuardLine {
  std::string workload, candidate, verdict;  // "same", "faster", "slower", "wrong", "same code"...
  std::string text;                          // a sentence with the numbers
  bool failed = false;
};

/// JUnit XML, as CI servers read it: a test case a workload.
std::string junit_text(const std::string& kernel, const std::vector<GuardLine>& lines);

/// A table of Markdown with a line above it that says whether it holds.
std::string markdown_text(const std::string& kernel, const std::string& device, const std::vector<GuardLine>& lines);

}  // namespace harness::package
