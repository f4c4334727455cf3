#include "harness/campaign/covering.h"

#include <algorithm>
#include <set>
#include <utility>

namespace harness {
namespace {

using Seen = std::set<std::pair<std::size_t, std::uint16_t>>;  // parameter, index of its value

std::size_t unseen_values(const std::vector<std::uint16_t>& point, const Seen& values_seen) {
  std::size_t count = 0;
  for (std::size_t p = 0; p < point.size(); ++p) count += values_seen.contains({p, point[p]}) ? 0 : 1;
  return count;
}

}  // namespace

std::vector<Config> covering_configurations(const Space& space, std::size_t most) {
  std::vector<Config> configs;
  Seen values_seen;
  for (std::size_t next = space.start; configs.size() < most && next < space.points.size();) {
    for (std::size_t p = 0; p < space.points[next].size(); ++p) values_seen.emplace(p, space.points[next][p]);
    configs.push_back(configuration(space, next));
    const auto better = [&](const auto& a, const auto& b) {
      return unseen_values(a, values_seen) < unseen_values(b, values_seen);
    };
    const auto best = std::ranges::max_element(space.points, better);
    if (best == space.points.end() || unseen_values(*best, values_seen) == 0) break;
    next = static_cast<std::size_t>(best - space.points.begin());
  }
  return configs;
}

}  // namespace harness
