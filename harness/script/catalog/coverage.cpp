#include "harness/script/catalog/coverage.h"

#include <algorithm>

namespace harness::script {
namespace {

struct Traits {
  std::vector<std::string> flags;   // "causal", "not lse"
  std::vector<std::string> orders;  // "Sk<Sq", "Sk=Sq"
};

Traits traits_of(const Workload& point) {
  Traits traits;
  std::vector<std::pair<std::string, std::int64_t>> sizes;
  for (const auto& [name, value] : point.values) {
    if (const bool* flag = std::get_if<bool>(&value)) traits.flags.push_back((*flag ? "" : "not ") + name);
    else if (const auto* size = std::get_if<std::int64_t>(&value)) sizes.emplace_back(name, *size);
  }
  for (std::size_t i = 0; i < sizes.size(); ++i)
    for (std::size_t j = i + 1; j < sizes.size(); ++j) {
      const char* const order = sizes[i].second < sizes[j].second ? "<" : sizes[i].second > sizes[j].second ? ">" : "=";
      traits.orders.push_back(sizes[i].first + order + sizes[j].first);
    }
  return traits;
}

}  // namespace

std::vector<std::string> Coverage::combinations(const Workload& point) {
  Traits traits = traits_of(point);
  if (traits.flags.size() < 2) traits.flags.resize(2);  // then fewer are combined
  if (traits.orders.empty()) traits.orders.emplace_back();
  std::vector<std::string> all;
  for (std::size_t i = 0; i < traits.flags.size(); ++i)
    for (std::size_t j = i + 1; j < traits.flags.size(); ++j)
      for (const std::string& order : traits.orders)
        all.push_back(traits.flags[i] + "," + traits.flags[j] + "," + order);
  return all;
}

std::size_t Coverage::fresh(const Workload& point) const {
  const auto all = combinations(point);
  return static_cast<std::size_t>(
      std::ranges::count_if(all, [&](const std::string& each) { return !seen_.contains(each); }));
}

void Coverage::add(const Workload& point) {
  for (std::string& each : combinations(point)) seen_.insert(std::move(each));
}

}  // namespace harness::script
