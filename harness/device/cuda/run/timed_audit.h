#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/core/device.h"
#include "harness/device/cuda/run/input_sets.h"

namespace harness::cuda {

/// What the timed calls of one contender left behind. A third of the places is for each CallKind; which calls end in
/// them is decided after they ran, so that in the end each was as likely as any other of its kind.
class TimedAudit {
 public:
  /// No places: nothing is looked at. Their memory, on the host, must outlive this.
  explicit TimedAudit(const ImageList& memory) : memory_(memory), places_(memory.size()) {}

  bool wanted() const { return !places_.empty(); }
  /// The sets of `drawn` are as calls of this kind left them: some of them may be kept. Waits: a copy is on the host
  /// before the contender runs again, which could mend it on the device.
  void consider(CallKind kind, InputSets& sets, const DrawnSets& drawn);
  /// The digests that two launches on the same draws left, set by set.
  void compare(CallKind kind, const SetTables& tables, const DrawnSets& one, std::span<const std::uint64_t> left_by_one,
               const DrawnSets& other, std::span<const std::uint64_t> left_by_other);

  const TwiceLaunched& twice() const { return twice_; }
  /// What is in the places.
  std::vector<KeptCall> kept(const InputSets& sets) const;

 private:
  struct Kept {
    DrawnSets drawn;
    std::int64_t set = 0;
  };
  const ImageList& memory_;
  std::vector<std::optional<Kept>> places_;
  std::array<std::uint64_t, 3> seen_{};  // calls that could have been kept, by kind
  TwiceLaunched twice_;
};

}  // namespace harness::cuda
