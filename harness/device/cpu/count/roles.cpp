#include "harness/device/cpu/count/roles.h"

#include <algorithm>

namespace harness::cpu {
namespace {

void add_requests(CountedRole& role, std::uint64_t site, std::int64_t requests) {
  const auto at = std::ranges::lower_bound(role.requests, site, {}, &std::pair<std::uint64_t, std::int64_t>::first);
  if (at != role.requests.end() && at->first == site) at->second += requests;
  else role.requests.insert(at, {site, requests});
}

}  // namespace

void Roles::add(const Requests& requests, std::int64_t weight) {
  std::vector<std::uint64_t> places;
  for (const auto& [site, times] : requests) places.push_back(site);
  CountedRole& role = known_[std::move(places)];
  role.warps += weight;
  for (const auto& [site, times] : requests) add_requests(role, site, times * weight);
}

void Roles::add(const Roles& others, std::int64_t weight) {
  for (const auto& [places, other] : others.known_) {
    CountedRole& role = known_[places];
    role.warps += other.warps * weight;
    for (const auto& [site, times] : other.requests) add_requests(role, site, times * weight);
  }
}

std::vector<CountedRole> Roles::take() const {
  std::vector<CountedRole> roles;
  for (const auto& [places, role] : known_) roles.push_back(role);
  std::ranges::stable_sort(roles, std::greater<>(), &CountedRole::warps);
  for (; roles.size() > kMost; roles.pop_back()) {
    CountedRole& rest = roles[kMost - 1];
    rest.warps += roles.back().warps;
    for (const auto& [site, times] : roles.back().requests) add_requests(rest, site, times);
  }
  return roles;
}

}  // namespace harness::cpu
