#include "harness/device/cpu/check/finding.h"

#include <utility>

#include "harness/core/json_fields.h"

namespace harness::cpu {

const char* name(FindingKind kind) {
  switch (kind) {
    case FindingKind::race:
      return "race";
    case FindingKind::out_of_bounds:
      return "out_of_bounds";
    case FindingKind::misaligned:
      return "misaligned";
    case FindingKind::uninitialized:
      return "uninitialized";
    case FindingKind::barrier_divergence:
      return "barrier_divergence";
    case FindingKind::inactive_lane:
      return "inactive_lane";
    case FindingKind::other:
      break;
  }
  return "other";
}

RawFinding* RawFindings::find(const Key& key) {
  const auto entry = index_.find(key);
  return entry == index_.end() ? nullptr : &list_[entry->second];
}

RawFinding* RawFindings::again(const Key& key) {
  RawFinding* const finding = find(key);
  if (finding) ++finding->count;
  return finding;
}

void RawFindings::add(const Key& key, RawFinding finding) {
  if (list_.size() == kMax) return;
  index_[key] = list_.size();
  list_.push_back(std::move(finding));
}

std::vector<RawFinding> RawFindings::take() {
  index_.clear();
  return std::exchange(list_, {});
}

}  // namespace harness::cpu
