#include "harness/core/abandon.h"

#include <algorithm>

namespace harness {
namespace {

constexpr std::size_t kFewestToAbandon = 6;

}  // namespace

double abandon_threshold(std::span<const double> rival_ns, double factor) {
  return rival_ns.empty() ? 0 : factor * *std::ranges::max_element(rival_ns);
}

bool clearly_slower(std::span<const double> own_ns, std::span<const double> rival_ns, double factor) {
  if (factor <= 0 || std::min(own_ns.size(), rival_ns.size()) < kFewestToAbandon) return false;
  return *std::ranges::min_element(own_ns) > abandon_threshold(rival_ns, factor);
}

}  // namespace harness
