#include "harness/core/contract.h"

#include <algorithm>

namespace harness {

const Argument* find_argument(const Problem& problem, const std::string& name) {
  const auto found = std::ranges::find(problem.arguments, name, &Argument::name);
  return found == problem.arguments.end() ? nullptr : &*found;
}

bool is_tensor(ArgumentKind kind) {
  return kind == ArgumentKind::input || is_written(kind);
}

bool is_written(ArgumentKind kind) {
  return kind == ArgumentKind::output || kind == ArgumentKind::inout;
}

std::int64_t span_elements(const Argument& a) {
  if (a.strides.empty()) return count_elements(a);  // contiguous
  std::int64_t span = 1;
  for (std::size_t d = 0; d < a.shape.size(); ++d) {
    if (a.shape[d] == 0) return 0;
    span += (a.shape[d] - 1) * a.strides[d];
  }
  return span;
}

std::int64_t count_elements(const Argument& a) {
  std::int64_t count = 1;
  for (const std::int64_t extent : a.shape) count *= extent;
  return count;
}

std::int64_t fewest_output_elements(const Problem& problem) {
  std::int64_t fewest = INT64_MAX;
  for (const Argument& a : problem.arguments)
    if (is_written(a.kind) && !a.absent) fewest = std::min(fewest, count_elements(a));
  return fewest;
}

double amount_of(const Work& work) {
  double amount = work.bytes + 2 * work.exps;
  for (const auto& [type, flops] : work.flops) amount += flops;
  return amount;
}

}  // namespace harness
