#pragma once
#include <cstdint>
#include <vector>

#include "harness/core/counting.h"
#include "harness/device/cpu/count/hottest.h"
#include "harness/device/cpu/count/roles.h"

namespace harness::cpu {

/// What was counted of some blocks of a launch.
struct Tally {
  std::vector<CountedPlace> places;  // some perhaps several times
  Roles roles;
  AtomicSectors atomics;
  std::vector<CountedBuffer> buffers;  // by buffer of the layout; none: nothing was touched
  std::int64_t work = 0, heaviest = 0;
  bool blocks_meet = false, atomics_used = false;

  /// Those of the other, as often as they stand for.
  void add(const Tally& other, std::int64_t weight);
  /// Accesses of lanes that were counted.
  std::int64_t accesses() const;
};

}  // namespace harness::cpu
