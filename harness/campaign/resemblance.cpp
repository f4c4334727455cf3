#include "harness/campaign/resemblance.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace harness {
namespace {

const double kOtherKind = std::log(4.0);

std::optional<double> number_in(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

/// A shape of somebody's own is named by its values: "B=4 Sq=3000 causal=true".
std::optional<Config> values_in(const std::string& name) {
  Config values;
  std::istringstream words(name);
  for (std::string word; words >> word;) {
    const std::size_t sign = word.find('=');
    if (sign == std::string::npos) return std::nullopt;
    values[word.substr(0, sign)] = parse_value(word.substr(sign + 1));
  }
  return values;
}

std::optional<Config> values_of(const KernelInfo& kernel, const std::string& workload) {
  const auto declared = std::ranges::find(kernel.workloads, workload, &Workload::name);
  if (declared != kernel.workloads.end()) return Config(declared->values.begin(), declared->values.end());
  return values_in(workload);
}

double apart(const Value& one, const Value& other) {
  const std::optional<double> a = number_in(one), b = number_in(other);
  if (a && b && *a > 0 && *b > 0) return std::fabs(std::log(*a / *b));
  return same_value(one, other) ? 0 : kOtherKind;
}

}  // namespace

Resemblance::Resemblance(const KernelInfo& kernel, const std::string& workload)
    : kernel_(kernel), workload_(workload), values_(values_of(kernel, workload)) {}

std::optional<double> Resemblance::distance(const std::string& other) const {
  if (other == workload_) return 0;
  const std::optional<Config> values = values_of(kernel_, other);
  if (!values || !values_ || values->size() != values_->size()) return std::nullopt;
  double sum = 0;
  for (const auto& [name, value] : *values) {
    const auto mine = values_->find(name);
    if (mine == values_->end()) return std::nullopt;
    sum += apart(mine->second, value);
  }
  return sum;
}

}  // namespace harness
