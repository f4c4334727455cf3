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

std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 31)) * 0x9e3779b97f4a7c15u;
  return (bits ^ (bits >> 29)) * 0xbf58476d1ce4e5b9u;
}

}  // namespace

/// Null where there are too many.
ComparedSite* Comparisons::find_or_add(std::uint64_t site) {
  ComparedSite*& recent = recent_[(site ^ (site >> kCaseShift)) % kRecent];
  if (recent != nullptr && recent->site == site) return recent;
  if (sites_.size() >= kMostSites && !sites_.contains(site)) {
    sites_[kTooManySites].site = kTooManySites;
    return nullptr;
  }
  recent = &sites_[site];
  recent->site = site;
  return recent;
}

void Comparisons::add(std::uint64_t site, int bytes, std::uint64_t left_bits, std::uint64_t right_bits) {
  constexpr int kCaseAt = 8, kMostBytes = 0xff, kLongest = 8;
  if (bytes > kMostBytes) site |= static_cast<std::uint64_t>(bytes >> kCaseAt) << kCaseShift, bytes &= kMostBytes;
  if (bytes == kLongest + 1) site |= kChoice, bytes = kLongest;
  if (bytes == -5 || bytes == -9) site |= kChoice, ++bytes;
  ComparedSite* const known = find_or_add(site);
  if (known == nullptr) return;
  ComparedSite& seen = *known;
  const double left = number(bytes, left_bits), right = number(bytes, right_bits);
  const double distance = std::fabs(left - right), before = std::fabs(seen.left - seen.right);
  // JSON has no infinity: such sides are no guide to anything.
  if (std::isfinite(distance) && (!seen.finite || distance < before))
    seen.left = left, seen.right = right, seen.finite = true;
  seen.floating = bytes < 0;
  seen.operands += mixed(mixed(left_bits) + right_bits);  // threads come in any order
  seen.less = seen.less || left < right;
  seen.equal = seen.equal || left == right;
  seen.greater = seen.greater || !(left <= right);  // NaN, too
}

std::vector<ComparedSite> Comparisons::take() {
  std::vector<ComparedSite> all;
  for (const auto& [site, seen] : sites_) all.push_back(seen);
  sites_.clear();
  recent_ = {};
  std::ranges::sort(all, {}, &ComparedSite::site);
  return all;
}

}  // namespace harness::cpu
