#pragma once
#include <set>
#include <string>
#include <vector>

#include "harness/core/contract.h"

namespace harness::script {

/// What points of a domain have in common with each other, so that a few of them can be chosen that differ: which flags
/// are set, and which of two sizes is the larger. A mistake often needs several of these at once, as that of a kernel
/// which forgets rows without keys: a causal mask, more queries than keys, and a log-sum-exp that is asked for.
class Coverage {
 public:
  /// How many of the point's combinations no point before it had: two flags and the order of two sizes.
  std::size_t fresh(const Workload& point) const;
  void add(const Workload& point);

 private:
  static std::vector<std::string> combinations(const Workload& point);
  std::set<std::string> seen_;
};

}  // namespace harness::script
