#include "harness/adopt/observe/indexes.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/adopt/observe/observed_launch.h"
#include "harness/adopt/observe/observing.h"
#include "harness/adopt/observe/points.h"

namespace harness::adopt {
namespace {

constexpr std::int64_t kFar = 1 << 17;  // beyond every array at small sizes, within an arena for plain indexes

bool may_be_index(const AdoptedParameter& parameter) {
  return parameter.kind == Param::pointer && parameter.role == "input" && !is_floating(parameter.dtype) &&
         storage_bytes(parameter.dtype) >= 4 && parameter.below == nullptr && !parameter.zeroed;
}

class Indexes : public Observing {
 public:
  explicit Indexes(const Observing& observing)
      : Observing(observing), points_(points_of(kernel_, kernel_.sizes.empty() ? 1 : 4, 7)) {}

  void find() {
    for (AdoptedParameter& parameter : kernel_.parameters)
      if (may_be_index(parameter) && !stays(parameter, number(kFar)) && stays(parameter, number(1))) limit(parameter);
  }

 private:
  void limit(AdoptedParameter& parameter) {
    for (const FormulaPtr& extent : candidates()) {
      const FormulaPtr next = formula(Op::add, {extent, number(1)});
      if (!stays(parameter, extent) || stays(parameter, next)) continue;
      parameter.below = extent;
      parameter.evidence += "; an index: larger values lead past the end of an array";
      return;
    }
    seen_.questions.push_back(
        {fmt::format("--arg \"{}[{}] {} < LIMIT\"", parameter.name, shape_words(parameter), name(parameter.dtype)),
         fmt::format("the values in '{}' say how far an array goes", parameter.name)});
  }

  std::string shape_words(const AdoptedParameter& parameter) const {
    std::string words;
    for (const FormulaPtr& extent : parameter.shape)
      words += (words.empty() ? "" : ",") + as_lua(*extent, [](const std::string& symbol) { return symbol; });
    return words;
  }

  /// Extents of arrays, then sizes, then products of two of them.
  std::vector<FormulaPtr> candidates() const {
    std::vector<FormulaPtr> all;
    const auto add = [&](const FormulaPtr& formula) {
      const bool listed = std::ranges::any_of(all, [&](const FormulaPtr& extent) { return equal(*extent, *formula); });
      if (!listed) all.push_back(formula);
    };
    for (const AdoptedParameter& parameter : kernel_.parameters)
      for (const FormulaPtr& extent : parameter.shape) add(extent);
    for (const AdoptedSize& size : kernel_.sizes) add(symbol(size.symbol));
    const std::size_t single = all.size();
    for (std::size_t i = 0; i < single; ++i)
      for (std::size_t k = i + 1; k < single; ++k) add(formula(Op::multiply, {all[i], all[k]}));
    return all;
  }

  /// Whether the kernel stays inside of its arrays if every element of `parameter` is `below` - 1.
  bool stays(const AdoptedParameter& parameter, const FormulaPtr& below) {
    std::vector<ObservedLaunch> launches;
    for (const Values& point : points_) {
      ObservedLaunch launch = launch_at(kernel_, subject_.entry, point, 0, false);
      const std::int64_t value = evaluate(*below, all_values(kernel_, point)).value_or(1) - 1;
      for (Arena& arena : launch.arenas)
        if (arena.name == parameter.name && arena.content)
          arena.content = filled(parameter.dtype, *arena.content, value);
      launches.push_back(std::move(launch));
    }
    const std::vector<Observation> observed = look(launches);
    for (std::size_t i = 0; i < observed.size(); ++i)
      if (!is_inside(observed[i], all_values(kernel_, points_[i]))) return false;
    return true;
  }

  static std::shared_ptr<const std::vector<std::byte>> filled(Dtype dtype, const std::vector<std::byte>& like,
                                                              std::int64_t value) {
    auto content = std::make_shared<std::vector<std::byte>>(like.size());
    const auto bytes = static_cast<std::size_t>(storage_bytes(dtype));
    for (std::size_t at = 0; at + bytes <= content->size(); at += bytes)
      store_rounded(dtype, content->data() + at, static_cast<double>(std::max<std::int64_t>(0, value)));
    return content;
  }

  bool is_inside(const Observation& observed, const Values& values) const {
    if (!observed.failure.empty() || !observed.findings.empty()) return false;
    return std::ranges::all_of(kernel_.parameters, [&](const AdoptedParameter& parameter) {
      const auto arena = observed.arenas.find(parameter.name);
      if (parameter.kind != Param::pointer || arena == observed.arenas.end() || !parameter.strides.empty()) return true;
      std::int64_t bytes = storage_bytes(parameter.dtype);
      for (const FormulaPtr& extent : parameter.shape) bytes *= evaluate(*extent, values).value_or(1);
      return std::max(arena->second.read_end, arena->second.write_end) <= bytes;
    });
  }

  std::vector<Values> points_;
};

}  // namespace

void find_indexes(AdoptedKernel& kernel, const Subject& subject, Observer& observer, Seen& seen) {
  if (std::ranges::none_of(kernel.parameters, may_be_index)) return;
  const BuildResult built = observer.build(subject.build);
  if (const auto* artifact = std::get_if<Artifact>(&built))
    Indexes({kernel, subject, observer, *artifact, seen}).find();
}

}  // namespace harness::adopt
