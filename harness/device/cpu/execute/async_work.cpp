#include "harness/device/cpu/execute/async_work.h"

#include <algorithm>
#include <utility>

namespace harness::cpu {

void AsyncWork::begin(bool early) {
  early_ = early;
  loads_.clear();
  groups_.clear();
}

void AsyncWork::load(Action action) {
  if (early_) action();
  else loads_.push_back(std::move(action));
}

bool AsyncWork::complete_a_load() {
  if (loads_.empty()) return false;
  const Action oldest = std::move(loads_.front());
  loads_.pop_front();
  oldest();
  return true;
}

void AsyncWork::add(int issuer, Action action) {
  if (early_) action();
  else groups_[issuer].open.push_back(std::move(action));
}

void AsyncWork::commit(int issuer) {
  if (early_) return;
  Groups& groups = groups_[issuer];
  groups.committed.push_back(std::exchange(groups.open, {}));
}

void AsyncWork::wait(int issuer, int pending) {
  const auto groups = groups_.find(issuer);
  if (groups == groups_.end()) return;
  std::deque<std::vector<Action>>& committed = groups->second.committed;
  while (committed.size() > static_cast<std::size_t>(std::max(pending, 0))) {
    for (const Action& action : committed.front()) action();
    committed.pop_front();
  }
}

void AsyncWork::wait_for_all(int issuer) {
  commit(issuer);
  wait(issuer, 0);
}

bool AsyncWork::anything_left() const {
  return std::ranges::any_of(groups_, [](const auto& entry) {
    const Groups& groups = entry.second;
    return !groups.open.empty() ||
           std::ranges::any_of(groups.committed, [](const auto& group) { return !group.empty(); });
  });
}

}  // namespace harness::cpu
