#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "harness/core/json.h"
#include "harness/package/folder/ci_report.h"
#include "harness/shipping/judged_package.h"

namespace harness {

/// What a guard found: whether what is here now is right, and no slower than what it is held against.
struct GuardVerdict {
  std::string kernels;  // names, with commas between them
  std::string device;   // its name; "code for sm_90a" where only code was compared
  std::vector<package::GuardLine> lines;
  json workloads = json::array();
  std::size_t gates = 0, failed_gates = 0;
  bool interrupted = false;

  bool passed() const { return std::ranges::none_of(lines, &package::GuardLine::failed); }
  /// A line, its object and its gates. `line`: the pair's own names where nothing else is said.
  void add(const PairResult& result, package::GuardLine line) {
    gates += result.gates;
    failed_gates += result.failed_gates;
    json row = pair_json(result);
    row.update({{"verdict", line.verdict}, {"text", line.text}, {"failed", line.failed}});
    workloads.push_back(std::move(row));
    lines.push_back(std::move(line));
  }
};

}  // namespace harness
