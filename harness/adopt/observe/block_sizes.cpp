#include "harness/adopt/observe/block_sizes.h"

#include <algorithm>

#include "harness/adopt/observe/observed_launch.h"
#include "harness/adopt/observe/points.h"

namespace harness::adopt {
namespace {

class BlockSizes : public Observing {
 public:
  explicit BlockSizes(const Observing& observing) : Observing(observing) {}

  std::optional<BlockIsSize> find() const {
    if (kernel_.guessed_blocks.empty()) return std::nullopt;
    const Observation first = observed(kernel_);
    for (const std::string& name : kernel_.guessed_blocks) {
      AdoptedKernel other = kernel_;
      std::vector<std::int64_t>& values = other.tuned.at(name);
      if (values.size() < 2) continue;
      std::rotate(values.begin(), values.begin() + 1, values.end());
      if (differs(first, observed(other))) return BlockIsSize{name};
    }
    return std::nullopt;
  }

 private:
  /// Each size is a multiple of what blocks cover, where the kernel needs multiples of anything.
  Values point() const {
    constexpr std::int64_t kWhole = 512;
    Values values = small_point(kernel_);
    for (const AdoptedSize& size : kernel_.sizes)
      if (size.step > 1 && kernel_.sizes.size() < 3)
        values[size.symbol] = std::min(size.high / size.step * size.step, kWhole * size.step);
    return values;
  }

  Observation observed(const AdoptedKernel& kernel) const {
    return look({launch_at(kernel, subject_.entry, point(), 0, false)}).front();
  }

  bool differs(const Observation& one, const Observation& other) const {
    if (!ended_well(one) || !ended_well(other)) return false;
    return std::ranges::any_of(kernel_.parameters, [&](const AdoptedParameter& parameter) {
      if (parameter.kind != Param::pointer) return false;
      const ArenaSeen &a = one.arenas.at(parameter.name), &b = other.arenas.at(parameter.name);
      return std::max(a.read_end, a.write_end) != std::max(b.read_end, b.write_end);
    });
  }
};

}  // namespace

std::optional<BlockIsSize> block_that_is_size(const Observing& observing) {
  return BlockSizes(observing).find();
}

}  // namespace harness::adopt
