#include "harness/device/cpu/check/comparisons.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace harness::cpu {
namespace {

double number(int bytes, std::uint64_t bits) {
  switch (bytes) {
    case -8:
      return std::bit_cast<double>(bits);
    case -4:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case 1:
      return static_cast<std::int8_t>(bits);
    case 2:
      return static_cast<std::int16_t>(bits);
    case 4:
      return static_cast<std::int32_t>(bits);
    default:
      return static_cast<double>(static_cast<std::int64_t>(bits));
  }
}

}  // namespace

void Comparisons::add(std::uint64_t site, int bytes, std::uint64_t left_bits, std::uint64_t right_bits) {
  if (sites_.size() == kMostSites && !sites_.contains(site)) return;
  const auto [entry, is_new] = sites_.try_emplace(site);
  ComparedSite& seen = entry->second;
  const double left = number(bytes, left_bits), right = number(bytes, right_bits);
  const double distance = std::fabs(left - right), before = std::fabs(seen.left - seen.right);
  // JSON has no infinity: such sides are no guide to anything.
  if (std::isfinite(distance) && (is_new || distance < before)) seen.left = left, seen.right = right;
  seen.site = site;
  seen.less = seen.less || left < right;
  seen.equal = seen.equal || left == right;
  seen.greater = seen.greater || !(left <= right);  // NaN, too
}

std::vector<ComparedSite> Comparisons::take() {
  std::vector<ComparedSite> all;
  for (const auto& [site, seen] : sites_) all.push_back(seen);
  sites_.clear();
  std::ranges::sort(all, {}, &ComparedSite::site);
  return all;
}

}  // namespace harness::cpu
