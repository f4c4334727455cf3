#include "harness/adopt/observe.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <set>

#include "harness/adopt/complaint.h"
#include "harness/adopt/fit.h"
#include "harness/adopt/observed_launch.h"
#include "harness/adopt/order.h"
#include "harness/adopt/points.h"
#include "harness/core/dtype.h"
#include "harness/core/error.h"

namespace harness::adopt {
namespace {

constexpr double kFewestThreads = 1 << 11;  // of a launch that is made shorter
constexpr double kLongLaunch_s = 0.12;      // where smaller sizes will do, launches are made shorter than that
constexpr double kLongest_s = 60;           // no further steps are tried afterwards
constexpr double kLongestFarUp_s = 4;       // no further size is tried far up
constexpr int kMostUntouched = 3;           // attempts that ran well everywhere and left an array untouched
constexpr int kMostEndless = 2;             // attempts in which a launch did not end
constexpr std::size_t kAtOnce = 6;          // launches
constexpr std::size_t kFitPoints = 10, kHeldOut = 4;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The first value of each template argument that is tuned.
std::map<std::string, std::string> first_templates(const AdoptedKernel& kernel) {
  std::map<std::string, std::string> values;
  for (const auto& [name, how] : kernel.bound)
    if (how == "template") values[name] = fmt::format("{}", kernel.tuned.at(name).front());
  return values;
}

std::string text_of(const Values& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text.empty() ? "the one size there is" : text;
}

/// What several runs with different fills said of one pointer at one point.
struct PointerRecord {
  std::vector<FitPoint> points;
  std::vector<std::int64_t> elements;  // by run
};

/// A size that the kernel is not told, and that no number of its threads says.
bool is_of_grid_alone(const AdoptedKernel& kernel, const AdoptedSize& size) {
  if (std::ranges::find(kernel.parameters, size.symbol, &AdoptedParameter::name) != kernel.parameters.end())
    return false;
  const auto speaks_of_it = [&](const FormulaPtr& each) { return symbols_of(*each).contains(size.symbol); };
  return std::ranges::none_of(kernel.launches(),
                              [&](const LaunchShape* launch) {
                                return std::ranges::any_of(launch->block, speaks_of_it) || speaks_of_it(launch->shared);
                              }) &&
         std::ranges::none_of(derived_of(kernel), [&](const auto& derived) { return speaks_of_it(derived.second); });
}

bool ended_well(const Observation& observed) {
  return observed.failure.empty() && observed.findings.empty();
}

/// What an attempt to understand the kernel works with, and so each guess that makes attempts.
class Observing {
 public:
  Observing(AdoptedKernel& kernel, const Subject& subject, Observer& observer, const Artifact& artifact, Seen& seen)
      : kernel_(kernel), subject_(subject), observer_(observer), artifact_(artifact), seen_(seen) {}

 protected:
  std::vector<Observation> look(const std::vector<ObservedLaunch>& launches) {
    seen_.runs += static_cast<int>(launches.size());
    return observer_.run(artifact_, launches);
  }

  AdoptedKernel& kernel_;
  const Subject& subject_;
  Observer& observer_;
  const Artifact& artifact_;
  Seen& seen_;
};

/// One attempt to understand the kernel: sizes on multiples of their steps.
class Attempt : public Observing {
 public:
  using Observing::Observing;

  std::string why;                  // it failed; "" where everything fits
  std::vector<Question> questions;  // of pointers whose sizes depend on their values
  std::set<std::string> of_values;  // pointers that are touched as far as the values in memory say
  bool untouched = false;           // a pointer was neither read nor written
  bool endless = false;             // a launch did not end

  bool run() {
    const std::size_t count = kernel_.sizes.empty() ? 1 : kFitPoints + kHeldOut;
    std::vector<Values> points = points_of(kernel_, count, 1);
    if (points.empty()) return fail("no sizes are small enough to try");
    std::vector<Observation> observed{first_look(points)};
    std::vector<ObservedLaunch> launches;
    std::vector<std::pair<std::size_t, unsigned>> of;
    for (std::size_t i = 0; i < points.size(); ++i)
      for (unsigned fill = 0; fill < (i < 2 || points.size() == 1 ? 3U : 1U); ++fill) {
        ObservedLaunch launch = launch_at(kernel_, subject_.entry, points[i], fill, false);
        launches.push_back(std::move(launch));
        of.emplace_back(i, fill);
      }
    // Where one fails, the rest is not waited for.
    for (std::size_t checked = 0, end = 1; checked < launches.size(); end = std::min(end + kAtOnce, launches.size())) {
      if (observed.size() < end)
        for (Observation& each : look({launches.begin() + static_cast<std::ptrdiff_t>(observed.size()),
                                       launches.begin() + static_cast<std::ptrdiff_t>(end)}))
          observed.push_back(std::move(each));
      for (; checked < end; ++checked) {
        const Observation& each = observed[checked];
        const std::string where = text_of(points[of[checked].first]);
        endless = endless || each.failure.find("did not end") != std::string::npos;
        if (!each.failure.empty()) return fail(fmt::format("at {}: {}", where, each.failure));
        if (!each.findings.empty()) return fail(fmt::format("at {}: {}", where, each.findings.front()));
      }
    }
    fits_.assign(kernel_.parameters.size(), {});
    bool understood = true;
    for (std::size_t p = 0; p < kernel_.parameters.size(); ++p)
      if (is_array(kernel_.parameters[p])) understood = understand(p, points, of, observed) && understood;
    return understood;
  }

  /// Puts what was found into the kernel.
  void keep() {
    for (std::size_t p = 0; p < kernel_.parameters.size(); ++p) {
      AdoptedParameter& parameter = kernel_.parameters[p];
      if (!is_array(parameter)) continue;
      const Found& found = fits_[p];
      if (!parameter.answered && found.fitted) {
        parameter.shape = found.fitted->shape;
        parameter.strides = found.fitted->strides;
        if (parameter.kind != Param::scratch) drop_tuned(parameter);
      }
      if (parameter.role.empty()) parameter.role = parameter.zeroed && found.role != "output" ? "inout" : found.role;
      parameter.atomic = found.atomic;
      parameter.whole = found.whole;
      parameter.bordered = found.bordered;
      parameter.allocated = found.allocated;
      parameter.bound = found.bound;
      parameter.evidence = found.evidence + (parameter.answered && is_passed(parameter) ? "; its shape: --arg" : "");
    }
  }

  /// No rows with a stride: arrays as the sizes alone say.
  bool is_plain() const {
    return std::ranges::all_of(fits_, [](const Found& each) { return !each.fitted || each.fitted->strides.empty(); });
  }

  /// Which size of a product is innermost: what one block or one thread touches tells. Rows must be longer than what a
  /// block takes at once, so wide sizes are tried first; matrices must be smaller, so others are tried, too.
  void order_shapes() {
    put_blocks_first();
    std::map<std::size_t, std::vector<Glimpse>> open;
    if (!kernel_.sizes.empty()) {
      for (std::size_t p = 0; p < kernel_.parameters.size(); ++p) {
        const AdoptedParameter& parameter = kernel_.parameters[p];
        if (parameter.kind == Param::pointer && !parameter.answered && !parameter.bound && parameter.strides.empty() &&
            parameter.shape.size() >= 2 && !host_says_order(parameter))
          open[p] = {};
      }
      std::vector<std::vector<Values>> looks{wide_points(300), wide_points(70), points_of(kernel_, 3, 5)};
      for (const AdoptedSize& size : kernel_.sizes) looks.push_back(points_of_one(size));
      for (const std::vector<Values>& points : looks) {
        if (open.empty()) break;
        for (const std::vector<ObservedLaunch>& part : parts_of(points)) glimpse(part, points, open);
        std::erase_if(open, [&](const auto& each) { return is_ordered(each.first, each.second); });
      }
    }
    put_constants_last();
    for (const auto& [p, glimpses] : open) order_like_others(p);
  }

  /// Each size alone far up: does the kernel run there and go further than its formula says? Then the sizes that were
  /// tried were too small to show what they decide (groups of 128). Shapes must be kept.
  bool reaches_further() {
    const auto begin = std::chrono::steady_clock::now();
    const std::map<std::string, std::int64_t> tiles = tiles_of(kernel_);
    for (const AdoptedSize& size : kernel_.sizes) {
      if (counts_blocks(kernel_, size)) continue;
      std::vector<Values> points;
      const bool slow = kernel_.most_threads < AdoptedKernel::kMostThreads / 4;
      const std::int64_t usual = slow ? 256 : 1024;
      const std::int64_t far = tiles.contains(size.symbol) ? std::max(usual, 2 * tiles.at(size.symbol) + 32) : usual;
      for (const std::int64_t top : {far, far - 24}) {
        Values point;
        for (const AdoptedSize& each : kernel_.sizes) point[each.symbol] = std::max(each.low, each.step * 2);
        point[size.symbol] = std::max(size.step, top / size.step * size.step);
        if (conditions_hold(kernel_, point)) points.push_back(std::move(point));
      }
      if (reaches_further_at(points)) return true;
      if (seconds_since(begin) > kLongestFarUp_s) break;
    }
    return false;
  }

  /// Does nothing go further than the kept shapes say, whatever the values are? Less of an array may be touched.
  bool stays_inside(const std::vector<Values>& points) {
    std::vector<ObservedLaunch> launches;
    for (const Values& point : points)
      for (const unsigned fill : {0U, 1U, 2U})
        launches.push_back(launch_at(kernel_, subject_.entry, point, fill, false));
    const std::vector<Observation> observed = look(launches);
    for (std::size_t i = 0; i < observed.size(); ++i) {
      if (!ended_well(observed[i])) return false;
      for (std::size_t p = 0; p < kernel_.parameters.size(); ++p) {
        const AdoptedParameter& parameter = kernel_.parameters[p];
        if (!is_array(parameter) || is_said(parameter)) continue;
        const auto span = span_of({parameter.shape, parameter.strides, 0}, all_values(kernel_, points[i / 3]));
        if (!span || elements_of(p, observed[i]) > *span) return false;
      }
    }
    return true;
  }

  bool holds_at(const std::vector<Values>& points) {
    std::vector<ObservedLaunch> launches;
    for (const Values& point : points) launches.push_back(launch_at(kernel_, subject_.entry, point, 0, false));
    const std::vector<Observation> observed = look(launches);
    for (std::size_t i = 0; i < observed.size(); ++i) {
      if (!ended_well(observed[i])) return false;
      for (std::size_t p = 0; p < kernel_.parameters.size(); ++p) {
        const AdoptedParameter& parameter = kernel_.parameters[p];
        if (!is_array(parameter) || is_said(parameter)) continue;
        const Fitted fitted{parameter.shape, parameter.strides, 0};
        const auto span = span_of(fitted, all_values(kernel_, points[i]));
        if (!span || elements_of(p, observed[i]) != *span) return false;
      }
    }
    return true;
  }

 private:
  /// What is tuned changes no argument's shape: the problem stays the original's.
  void drop_tuned(AdoptedParameter& parameter) const {
    std::map<std::string, FormulaPtr> own;
    for (const auto& [name, values] : kernel_.tuned) own["p." + name] = number(static_cast<double>(values.front()));
    for (FormulaPtr& each : parameter.shape) each = with(each, own);
    for (FormulaPtr& each : parameter.strides) each = with(each, own);
  }

  struct Found {
    std::optional<Fitted> fitted;
    std::string role, evidence;
    bool atomic = false, whole = true, bordered = false, allocated = false, bound = false;
  };

  /// Sizes of about `widest` each, fewer where there are many of them.
  std::vector<Values> wide_points(double widest) const {
    constexpr double kMostTouched = 4e6;
    const double middle = std::min(widest, std::pow(kMostTouched, 1.0 / static_cast<double>(kernel_.sizes.size())));
    std::vector<Values> points;
    std::mt19937_64 random(11);
    for (int i = 0; i < 3; ++i) {
      Values point;
      for (const AdoptedSize& size : kernel_.sizes) {
        const auto steps = std::max<std::int64_t>(1, static_cast<std::int64_t>(middle) / size.step);
        const auto chosen =
            static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(std::max<std::int64_t>(2, steps)));
        const auto count = std::max<std::int64_t>(2, steps / 2 + 1) + chosen;
        point[size.symbol] = std::clamp(count * size.step, size.low, size.high / size.step * size.step);
      }
      if (conditions_hold(kernel_, point)) points.push_back(std::move(point));
    }
    return points;
  }

  /// One size beyond what any block takes at once, the others small: rows that no other look could make long enough.
  std::vector<Values> points_of_one(const AdoptedSize& wide) const {
    constexpr std::int64_t kWide = 1100, kApart = 211;
    std::vector<Values> points = points_of(kernel_, 3, 7);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const std::int64_t value = kWide + static_cast<std::int64_t>(i) * kApart;
      points[i][wide.symbol] = std::clamp(value / wide.step * wide.step, wide.low, wide.high / wide.step * wide.step);
    }
    std::erase_if(points, [&](const Values& each) { return !conditions_hold(kernel_, each); });
    return points;
  }

  /// The launch at each point, as `smaller` makes its grid and block.
  std::vector<ObservedLaunch> small_launches(const std::vector<Values>& points,
                                             const std::function<void(Launch&)>& smaller) const {
    std::vector<ObservedLaunch> launches;
    for (const Values& point : points) {
      launches.push_back(launch_at(kernel_, subject_.entry, point, 0, false));
      smaller(launches.back().launch);
      for (Launch& each : launches.back().further) smaller(each);
    }
    return launches;
  }

  static void make_one_thread(Launch& launch) { launch.grid = launch.block = Dim3{1, 1, 1}; }

  /// One block, one thread, and two threads of neighbouring blocks in each direction.
  std::vector<std::vector<ObservedLaunch>> parts_of(const std::vector<Values>& points) const {
    std::vector<std::vector<ObservedLaunch>> parts;
    parts.push_back(small_launches(points, [](Launch& launch) { launch.grid = Dim3{1, 1, 1}; }));
    parts.push_back(small_launches(points, make_one_thread));
    std::size_t directions = 0;
    for (const LaunchShape* launch : kernel_.launches()) directions = std::max(directions, launch->grid.size());
    for (std::size_t axis = 0; axis < directions; ++axis)
      parts.push_back(small_launches(points, [&](Launch& launch) {
        std::uint32_t* const extents[] = {&launch.grid.x, &launch.grid.y, &launch.grid.z};
        const std::uint32_t there = *extents[axis];
        make_one_thread(launch);
        *extents[axis] = std::min(there, 2U);
      }));
    return parts;
  }

  /// Adds what these launches, one at each point, touched of each open array.
  void glimpse(const std::vector<ObservedLaunch>& launches, const std::vector<Values>& points,
               std::map<std::size_t, std::vector<Glimpse>>& open) {
    const std::vector<Observation> observed = look(launches);
    for (auto& [p, glimpses] : open) {
      const AdoptedParameter& parameter = kernel_.parameters[p];
      const int bytes = storage_bytes(parameter.dtype);
      Glimpse& seen = glimpses.emplace_back();
      for (std::size_t i = 0; i < points.size(); ++i) {
        if (!ended_well(observed[i])) continue;
        seen.points.push_back(all_values(kernel_, points[i]));
        Parts& parts = seen.parts.emplace_back();
        for (const auto& [begin, end] : observed[i].arenas.at(parameter.name).parts)
          parts.emplace_back(begin / bytes, (end + bytes - 1) / bytes);
      }
    }
  }

  /// Puts its sizes into the order that was seen. True: no further look is needed.
  bool is_ordered(std::size_t p, const std::vector<Glimpse>& glimpses) {
    AdoptedParameter& parameter = kernel_.parameters[p];
    const Order order = order_of(parameter.shape, glimpses, parameter.bordered);
    parameter.shape = order.shape;
    return order.sure;
  }

  /// Does the kernel read from its grid (gridDim.y) what it is not told of a size?
  bool reads_from_grid(const std::string& symbol) const {
    const std::string& text = subject_.build.source;
    const auto reads = [&](const std::string& word) { return text.find(word) != std::string::npos; };
    if (!reads("gridDim")) return false;
    for (const LaunchShape* launch : kernel_.launches())
      for (std::size_t axis = 0; axis < launch->grid.size(); ++axis)
        if (symbols_of(*launch->grid[axis]).contains(symbol) && reads(fmt::format("gridDim.{}", "xyz"[axis])))
          return true;
    return !reads("gridDim.");  // as a whole
  }

  bool is_told_nothing_of(const std::string& symbol) const {
    const AdoptedSize* const size = kernel_.size(symbol);
    return size != nullptr && !reads_from_grid(symbol) && is_of_grid_alone(kernel_, *size);
  }

  /// What the kernel is not told, or only compares with, cannot be a distance between elements: it is outermost.
  void put_blocks_first() {
    const auto counts_alone = [&](const FormulaPtr& extent) {
      return extent->kind == Op::symbol &&
             (is_told_nothing_of(extent->symbol) || only_compares(subject_.build.source, extent->symbol));
    };
    for (AdoptedParameter& parameter : kernel_.parameters)
      if (parameter.kind == Param::pointer && !parameter.answered && parameter.strides.empty() &&
          !host_says_order(parameter))
        std::ranges::stable_partition(parameter.shape, counts_alone);
  }

  /// An array with a constant among its extents whose order not all was seen of, since each block goes through all of
  /// it (a bias of [3, heads, dim]): as in an array that has the same extents and more, where the constant is not last.
  void order_like_others(std::size_t p) {
    AdoptedParameter& own = kernel_.parameters[p];
    if (std::ranges::none_of(own.shape, [](const FormulaPtr& each) { return each->kind == Op::number; })) return;
    for (std::size_t q = 0; q < kernel_.parameters.size(); ++q) {
      const AdoptedParameter& other = kernel_.parameters[q];
      const bool tells = q != p && other.kind == Param::pointer && other.shape.size() > own.shape.size() &&
                         other.shape.back()->kind != Op::number;
      if (!tells) continue;
      std::vector<FormulaPtr> left = own.shape, ordered;
      for (const FormulaPtr& extent : other.shape) {
        const auto same = std::ranges::find_if(left, [&](const FormulaPtr& each) { return equal(*each, *extent); });
        if (same == left.end()) continue;
        ordered.push_back(*same);
        left.erase(same);
      }
      if (!left.empty()) continue;
      own.shape = ordered;
      return;
    }
  }

  /// x, y and z of a point lie side by side where one thread alone touches just these.
  void put_constants_last() {
    const auto constant_of = [](const AdoptedParameter& parameter) {
      const auto found = std::find_if(parameter.shape.begin(), parameter.shape.end(),
                                      [](const FormulaPtr& each) { return each->kind == Op::number; });
      return parameter.kind == Param::pointer && !parameter.answered && parameter.strides.empty() &&
                     parameter.shape.size() >= 2 && found != parameter.shape.end()
                 ? *found
                 : nullptr;
    };
    const auto move_last = [&](AdoptedParameter& parameter, const FormulaPtr& constant) {
      std::erase(parameter.shape, constant);
      parameter.shape.push_back(constant);
    };
    for (AdoptedParameter& parameter : kernel_.parameters)  // the elements of one float4
      if (const FormulaPtr constant = constant_of(parameter);
          constant && parameter.lanes > 1 && constant->number == parameter.lanes)
        move_last(parameter, constant);
    if (std::none_of(kernel_.parameters.begin(), kernel_.parameters.end(), constant_of)) return;
    const std::vector<Observation> observed = look(small_launches(points_of(kernel_, 3, 5), make_one_thread));
    if (observed.empty() || !std::ranges::all_of(observed, ended_well)) return;
    std::set<double> proven;
    for (AdoptedParameter& parameter : kernel_.parameters) {
      const FormulaPtr constant = constant_of(parameter);
      const bool alone_touched =
          constant && std::all_of(observed.begin(), observed.end(), [&](const Observation& each) {
            const ArenaSeen& seen = each.arenas.at(parameter.name);
            return std::max(seen.read_end, seen.write_end) ==
                   static_cast<std::int64_t>(constant->number) * storage_bytes(parameter.dtype);
          });
      if (!alone_touched) continue;
      proven.insert(constant->number);
      move_last(parameter, constant);
    }
    // Where a thread touches all of an array, its neighbours with points of as many numbers tell.
    for (AdoptedParameter& parameter : kernel_.parameters)
      if (const FormulaPtr constant = constant_of(parameter); constant && proven.contains(constant->number))
        move_last(parameter, constant);
  }

  /// Is it as long as a number that the host computes from sizes, numel() say, or a tensor that it makes? These have
  /// the sizes in their order.
  bool host_says_order(const AdoptedParameter& parameter) const {
    const auto is_shape = [&](const std::vector<FormulaPtr>& factors) {
      return std::ranges::equal(factors, parameter.shape,
                                [](const FormulaPtr& a, const FormulaPtr& b) { return equal(*a, *b); });
    };
    return is_shape(tensor_of(parameter)) || std::ranges::any_of(derived_of(kernel_), [&](const auto& derived) {
             return is_shape(factors_of(derived.second));
           });
  }

  /// The extents of the tensor that the host makes for it, one for each size; empty: none, or it does not say.
  std::vector<FormulaPtr> tensor_of(const AdoptedParameter& parameter) const {
    const auto tensor = kernel_.launch.tensors.find(parameter.name);
    std::vector<FormulaPtr> extents;
    if (tensor == kernel_.launch.tensors.end()) return extents;
    std::map<std::string, FormulaPtr> known = derived_of(kernel_);
    for (const AdoptedParameter& each : kernel_.parameters)
      if (each.kind == Param::fixed) known[each.name] = number(each.value);
    for (const FormulaPtr& each : tensor->second)
      for (const FormulaPtr& factor : factors_of(with(each, known)))
        if (factor->kind != Op::number || factor->number != 1) extents.push_back(factor);
    return extents;
  }

  /// As the host makes it, where that is as long at all points; and in the order of a number that the host computes of
  /// the same sizes.
  void take_tensor(Fitted& fitted, const AdoptedParameter& parameter, const std::vector<FitPoint>& points) const {
    if (!fitted.strides.empty()) return;
    const auto alike = [](const FormulaPtr& a, const FormulaPtr& b) { return equal(*a, *b); };
    for (const auto& [name, follows] : derived_of(kernel_))
      if (const auto factors = factors_of(follows); std::ranges::is_permutation(factors, fitted.shape, alike))
        fitted.shape = factors;
    const Fitted tensor{tensor_of(parameter), {}, 0};
    if (tensor.shape.empty()) return;
    const bool as_long =
        std::ranges::all_of(points, [&](const FitPoint& each) { return span_of(tensor, each.sizes) == each.elements; });
    if (as_long) fitted.shape = tensor.shape;
  }

  bool reaches_further_at(const std::vector<Values>& points) {
    std::vector<ObservedLaunch> launches;
    for (const Values& point : points) launches.push_back(launch_at(kernel_, subject_.entry, point, 0, false));
    const std::vector<Observation> observed = look(launches);
    for (std::size_t i = 0; i < observed.size(); ++i) {
      if (!ended_well(observed[i])) continue;
      for (std::size_t p = 0; p < kernel_.parameters.size(); ++p) {
        const AdoptedParameter& parameter = kernel_.parameters[p];
        if (!is_array(parameter) || is_said(parameter)) continue;
        const auto span = span_of({parameter.shape, parameter.strides, 0}, all_values(kernel_, points[i]));
        if (span && elements_of(p, observed[i]) > *span) return true;
      }
    }
    return false;
  }

  /// The launch at the first point. Where it takes long, launches have fewer threads from now on (in steps of powers of
  /// two, so that a busy machine mostly chooses the same), and the points are others.
  Observation first_look(std::vector<Values>& points) {
    const auto look_once = [&] { return look({launch_at(kernel_, subject_.entry, points.front(), 0, false)}).front(); };
    const auto begin = std::chrono::steady_clock::now();
    Observation observed = look_once();
    const double took_s = seconds_since(begin);
    if (!ended_well(observed) || took_s < 2 * kLongLaunch_s) return observed;
    const double wanted = threads_at(kernel_, points.front()) * kLongLaunch_s / took_s;
    const double most = std::max(kFewestThreads, std::exp2(std::floor(std::log2(wanted))));
    if (most >= kernel_.most_threads) return observed;
    kernel_.most_threads = most;
    points = points_of(kernel_, points.size(), 1);
    return look_once();
  }

  bool fail(std::string sentence) {
    why = std::move(sentence);
    return false;
  }

  /// Its length is not observed.
  static bool is_said(const AdoptedParameter& parameter) {
    return parameter.answered || parameter.allocated || parameter.bound;
  }

  std::int64_t elements_of(std::size_t p, const Observation& observed) const {
    const AdoptedParameter& parameter = kernel_.parameters[p];
    const auto found = observed.arenas.find(parameter.name);
    if (found == observed.arenas.end()) return 0;
    const std::int64_t end = std::max(found->second.read_end, found->second.write_end),
                       bytes = storage_bytes(parameter.dtype);
    return (end + bytes - 1) / bytes + (parameter.bordered ? left_out_before(parameter, found->second) : 0);
  }

  /// Elements in front of the first one that is touched.
  static std::int64_t left_out_before(const AdoptedParameter& parameter, const ArenaSeen& seen) {
    std::int64_t begin = std::max(seen.read_end, seen.write_end);
    if (seen.read > 0) begin = std::min(begin, seen.read_begin);
    if (seen.written > 0) begin = std::min(begin, seen.write_begin);
    return begin / storage_bytes(parameter.dtype);
  }

  /// The elements that the host allocates, where none further was touched; nothing: it does not say.
  std::optional<Fitted> allocation_of(const AdoptedParameter& parameter, const std::vector<FitPoint>& seen) const {
    const auto bytes = kernel_.launch.allocated.find(parameter.name);
    if (bytes == kernel_.launch.allocated.end()) return std::nullopt;
    Fitted fitted;
    double units = 1;
    for (const FormulaPtr& each : factors_of(bytes->second))
      if (each->kind == Op::number) units *= each->number;
      else fitted.shape.push_back(each);
    units /= storage_bytes(parameter.dtype);
    if (units < 1 || units != std::floor(units)) return std::nullopt;
    if (units > 1 || fitted.shape.empty()) fitted.shape.push_back(number(units));
    const bool inside = std::ranges::all_of(
        seen, [&](const FitPoint& each) { return span_of(fitted, each.sizes).value_or(0) >= each.elements; });
    return inside ? std::optional(fitted) : std::nullopt;
  }

  bool understand(std::size_t p, const std::vector<Values>& points,
                  const std::vector<std::pair<std::size_t, unsigned>>& of, const std::vector<Observation>& observed) {
    const AdoptedParameter& parameter = kernel_.parameters[p];
    Found& found = fits_[p];
    std::vector<FitPoint> fit_points, with_border, all_points;
    bool read = false, written = false, read_first = false, whole = true, read_whole = true, depends = false,
         touched = false;
    for (std::size_t i = 0; i < observed.size(); ++i) {
      const ArenaSeen& seen = observed[i].arenas.at(parameter.name);
      const std::int64_t elements = elements_of(p, observed[i]);
      read = read || seen.read > 0;
      written = written || seen.written > 0;
      read_first = read_first || (seen.read_first > 0 && seen.written > 0 && overlaps(seen));
      whole = whole && (seen.written == 0 || seen.written == elements * storage_bytes(parameter.dtype));
      read_whole = read_whole && (seen.read == 0 || seen.read == elements * storage_bytes(parameter.dtype));
      found.atomic = found.atomic || seen.atomic > 0;
      touched = touched || elements > 0;
      const Values values = all_values(kernel_, points[of[i].first]);
      all_points.push_back({values, elements});
      if (of[i].second == 0) {
        fit_points.push_back({values, elements});
        if (const std::int64_t border = left_out_before(parameter, seen); border > 0)
          with_border.push_back({values, elements + border});
      } else if (elements != fit_points.back().elements) {
        depends = true;
      }
    }
    if (!is_passed(parameter)) {
      found.whole = true;
      found.role = "input";
      found.evidence = parameter.evidence;
      return true;
    }
    found.whole = whole && read_whole;
    const auto say_role = [&] {
      found.role = !written ? "input" : read_first || !whole ? "inout" : "output";
      found.evidence = !written     ? "only read"
                       : read_first ? (found.atomic ? "atomics add to what it held" : "read before it was written")
                       : !whole     ? "not written everywhere, so what it held shows"
                       : read       ? "written before it was read"
                                    : "only written";
    };
    say_role();
    if (parameter.kind == Param::scratch) {
      if (read_first && !parameter.zeroed)
        throw bad_input(
            fmt::format("'{}' reads '{}' before any of its launches wrote there, and nothing sets it to zero; set it "
                        "with cudaMemset before the first launch",
                        kernel_.shown_name(), parameter.name));
      found.role = "scratch";
      found.evidence = parameter.zeroed ? "made in the function, set to zero there"
                                        : "made in the function; written before it is read";
    }
    if (parameter.answered) return true;
    const auto allocated = allocation_of(parameter, all_points);
    if (allocated && (!touched || depends)) return take_allocation(found, *allocated);
    untouched = untouched || !touched;
    if (!touched) return ask(p, "was never read or written at the sizes that were tried");
    if (depends) of_values.insert(parameter.name);
    if (depends) return ask(p, "is touched as far as the values in memory say, which no formula of sizes can tell");
    const std::size_t used = points.size() > kHeldOut ? points.size() - kHeldOut : points.size();
    found.fitted = fitted_to(fit_points, used);
    if (with_border.size() == fit_points.size() && !is_product(found.fitted))
      if (const auto whole_array = fitted_to(with_border, used); is_product(whole_array)) {
        found.fitted = whole_array;
        found.bordered = true;
        found.evidence += "; of its border as much is left out at its end as at its beginning";
        fit_points = with_border;
      }
    if (allocated && !is_product(found.fitted)) return take_allocation(found, *allocated);
    if (!found.fitted && !written) {
      found.fitted = fit_bound(fit_points, symbols());
      if (found.fitted) {
        found.bound = true;
        found.evidence += "; never read further, and as far at some sizes";
        return true;
      }
    }
    if (!found.fitted)
      return ask(p, fmt::format("has {} elements at {}, and no formula of the sizes gives what was seen",
                                fit_points[0].elements, text_of(points[0])));
    for (std::size_t i = used; i < fit_points.size(); ++i)
      if (span_of(*found.fitted, fit_points[i].sizes) != fit_points[i].elements)
        return ask(p, fmt::format("has {} elements at {}, which is not what the other sizes said",
                                  fit_points[i].elements, text_of(points[i])));
    take_tensor(*found.fitted, parameter, fit_points);
    if (!found.fitted->strides.empty() && parameter.kind == Param::pointer) {
      whole = read_whole = true;
      for (std::size_t i = 0; i < observed.size(); ++i) {
        const ArenaSeen& seen = observed[i].arenas.at(parameter.name);
        const auto rows = bytes_of_rows(*found.fitted, parameter, all_values(kernel_, points[of[i].first]));
        whole = whole && (!rows || seen.written == 0 || seen.written == *rows);
        read_whole = read_whole && (!rows || seen.read == 0 || seen.read == *rows);
      }
      found.whole = whole && read_whole;
      say_role();
    }
    seen_.held_out = static_cast<int>(fit_points.size() - used);
    if (!kernel_.sizes.empty())
      found.evidence += fmt::format("; as large at {} sizes, and at {} others", used, fit_points.size() - used);
    return true;
  }

  /// Of the sizes; what the kernel is not told counts whole parts, and comes first.
  std::vector<std::string> symbols() const {
    std::vector<std::string> all;
    for (const AdoptedSize& size : kernel_.sizes) all.push_back(size.symbol);
    const std::vector<std::string>& order = kernel_.launch.order;
    std::ranges::stable_sort(all, {},
                             [&](const std::string& each) { return std::ranges::find(order, each) - order.begin(); });
    std::ranges::stable_partition(all, [&](const std::string& each) { return is_told_nothing_of(each); });
    return all;
  }

  std::optional<Fitted> fitted_to(const std::vector<FitPoint>& points, std::size_t used) const {
    std::vector<FormulaPtr> extra;
    for (const LaunchShape* launch : kernel_.launches())
      extra.insert(extra.end(), launch->grid.begin(), launch->grid.end());
    for (const auto& [name, follows] : derived_of(kernel_)) extra.push_back(follows);
    return fit({points.begin(), points.begin() + static_cast<std::ptrdiff_t>(used)}, symbols(), extra,
               likely_extents(subject_.build.source, symbols()));
  }

  /// Of rows with a stride, without what lies between them; nothing: they lie one in another there.
  static std::optional<std::int64_t> bytes_of_rows(const Fitted& fitted, const AdoptedParameter& parameter,
                                                   const Values& values) {
    std::int64_t bytes = storage_bytes(parameter.dtype);
    for (const FormulaPtr& extent : fitted.shape) bytes *= evaluate(*extent, values).value_or(0);
    const std::size_t last = fitted.shape.size() - 1;
    const auto columns = evaluate(*fitted.shape[last], values), apart = evaluate(*fitted.strides[last - 1], values);
    return columns && apart && *columns <= *apart ? std::optional(bytes) : std::nullopt;
  }

  /// No sum or difference, which a border may be behind.
  static bool is_product(const std::optional<Fitted>& fitted) {
    return fitted && std::ranges::none_of(fitted->shape, [](const FormulaPtr& each) {
             return each->kind == Op::add || each->kind == Op::subtract;
           });
  }

  static bool take_allocation(Found& found, const Fitted& allocated) {
    found.fitted = allocated;
    found.allocated = true;
    found.evidence += "; as long as the host allocates it";
    return true;
  }

  static bool overlaps(const ArenaSeen& seen) {
    return seen.read_begin < seen.write_end && seen.write_begin < seen.read_end;
  }

  bool ask(std::size_t p, const std::string& reason) {
    const AdoptedParameter& parameter = kernel_.parameters[p];
    questions.push_back({fmt::format("--arg \"{}[SIZE,SIZE] {}\"", parameter.name, name(parameter.dtype)),
                         fmt::format("'{}' {}", parameter.name, reason)});
    why = questions.back().why;
    return false;
  }

  std::vector<Found> fits_;
};

/// "fatal error: cuda/barrier: No such file or directory" as a sentence.
void refuse_header(const Subject& subject, const std::string& log) {
  constexpr std::string_view kBefore = "fatal error: ", kBehind = ": No such file";
  const std::size_t begin = log.find(kBefore), end = log.find(kBehind);
  if (begin == std::string::npos || end == std::string::npos || end < begin) return;
  const std::string header = log.substr(begin + kBefore.size(), end - begin - kBefore.size());
  throw bad_input(
      fmt::format("the kernel of {} needs <{}>, which the device that observes does not have; rewrite that "
                  "part, or write the plugin by hand (harness new kernel)",
                  subject.build.source_name, header));
}

Artifact build(const Subject& subject, Observer& observer) {
  BuildSpec spec = subject.build;
  spec.entries = subject.entries;
  const BuildResult result = observer.build(spec);
  if (const auto* failure = std::get_if<CompileFailure>(&result)) {
    refuse_header(subject, failure->log);
    throw bad_input(fmt::format("the device part of {} does not compile on the cpu device: {}",
                                subject.build.source_name,
                                first_complaint(failure->log, spec.source_name, spec.source, subject.original)));
  }
  return std::get<Artifact>(result);
}

/// The multiples that the host asserts of a size alone: 128 of `width % 128 == 0`.
std::int64_t asserted_step(const AdoptedKernel& kernel, const AdoptedSize& size) {
  std::int64_t step = 1;
  for (const Condition& each : kernel.conditions) {
    const Formula& formula = *each.formula;
    if (formula.kind != Op::eq || formula.operands[0]->kind != Op::modulo) continue;
    const Formula &left = *formula.operands[0]->operands[0], &right = *formula.operands[0]->operands[1],
                  &zero = *formula.operands[1];
    const bool plain = left.kind == Op::symbol && left.symbol == size.symbol && right.kind == Op::number &&
                       right.number >= 1 && zero.kind == Op::number && zero.number == 0;
    if (plain) step = std::lcm(step, static_cast<std::int64_t>(right.number));
  }
  return step;
}

/// Sizes that a block has a tile of become multiples of it, the others of `step`; all of them of what is asserted.
void set_steps(AdoptedKernel& kernel, std::int64_t step, const std::map<std::string, std::int64_t>& tiles) {
  for (AdoptedSize& size : kernel.sizes) {
    const auto tile = tiles.find(size.symbol);
    size.step = counts_blocks(kernel, size) ? 1 : tile == tiles.end() ? step : tile->second;
    size.step = size.low = std::lcm(size.step, asserted_step(kernel, size));
    size.reach = 0;
  }
}

void reach_beyond(AdoptedKernel& kernel, const std::map<std::string, std::int64_t>& tiles) {
  constexpr std::int64_t kTiles = 4;
  for (AdoptedSize& size : kernel.sizes)
    if (const auto tile = tiles.find(size.symbol); tile != tiles.end()) size.reach = kTiles * tile->second;
}

/// The least of each size alone: N / 512 blocks are none below 512.
void find_least(AdoptedKernel& kernel, Attempt& attempt) {
  constexpr std::int64_t kMostLeast = 2048;
  for (AdoptedSize& size : kernel.sizes) {
    const auto holds = [&](std::int64_t value) {
      Values point;
      for (const AdoptedSize& each : kernel.sizes) point[each.symbol] = std::max(each.low, each.step * 2);
      point[size.symbol] = value;
      return !conditions_hold(kernel, point) || attempt.holds_at({point});
    };
    std::int64_t least = size.low;
    while (least <= kMostLeast && !holds(least)) least *= 2;
    if (least == size.low || least > kMostLeast) continue;
    size.evidence += fmt::format("; {} works, {} does not", least, least / 2);
    size.low = least;
  }
}

/// Sizes that need no multiple of the common step lose it again, or get a smaller one; where only the smallest fail
/// (a border is left out of them), they stay as large as the step. True: one did.
bool refine_steps(AdoptedKernel& kernel, Attempt& attempt) {
  bool refined = false;
  const auto holds = [&](const AdoptedSize& size) {
    return attempt.holds_at(points_of(kernel, 6, 77)) && attempt.holds_at(corners_of(kernel, size));
  };
  for (AdoptedSize& size : kernel.sizes) {
    const std::int64_t step = size.step;
    const std::int64_t least = asserted_step(kernel, size);
    for (std::int64_t smaller = 1; smaller < step && step % smaller == 0; smaller *= 2) {
      if (smaller % least != 0) continue;
      size.step = size.low = smaller;
      bool held = holds(size);
      if (!held) {
        size.low = step;
        held = holds(size);
      }
      refined = refined || held;
      if (held) break;
      size.step = size.low = step;
    }
  }
  return refined;
}

/// Vectors hold more elements of a smaller type: the sizes get the steps that each type of the dispatch needs, and a
/// type that runs at none is left out.
void try_other_types(AdoptedKernel& kernel, const Subject& subject, Observer& observer, Seen& seen) {
  std::vector<Dtype> kept{kernel.dtypes.front()};
  for (std::size_t i = 1; i < kernel.dtypes.size(); ++i) {
    AdoptedKernel other = kernel;
    other.dtypes = {kernel.dtypes[i]};
    for (AdoptedParameter& parameter : other.parameters)
      if (!parameter.type.empty()) parameter.dtype = kernel.dtypes[i];
    Subject as_other = subject;
    as_other.entry = other.entry_for(std::string(cuda_type(kernel.dtypes[i])), first_templates(kernel));
    BuildSpec spec = as_other.build;
    as_other.entries = entries_of(other, as_other.entry);
    spec.entries = as_other.entries;
    const BuildResult built = observer.build(spec);
    bool holds = false;
    if (const auto* artifact = std::get_if<Artifact>(&built)) {
      Attempt attempt(other, as_other, observer, *artifact, seen);
      for (const std::int64_t factor : {1, 2, 4, 8}) {
        for (std::size_t s = 0; s < other.sizes.size(); ++s)
          other.sizes[s].step = other.sizes[s].low = kernel.sizes[s].step * factor;
        holds = attempt.holds_at(points_of(other, 5, 41));
        if (holds && factor > 1) refine_steps(other, attempt);
        if (holds || other.sizes.empty()) break;
      }
    }
    if (!holds) {
      seen.notes.push_back(
          fmt::format("{} is left out: the kernel does not run well with it at the sizes that {} runs at",
                      name(kernel.dtypes[i]), name(kernel.dtypes.front())));
      continue;
    }
    for (std::size_t s = 0; s < other.sizes.size(); ++s)
      if (other.sizes[s].step > kernel.sizes[s].step) kernel.sizes[s].step = kernel.sizes[s].low = other.sizes[s].step;
    kept.push_back(kernel.dtypes[i]);
  }
  kernel.dtypes = kept;
}

/// Rows with a distance of their own (a pitch, a leading dimension) do not lie one in another: what is written there
/// would depend on which thread is last.
void keep_rows_apart(AdoptedKernel& kernel) {
  const auto is_distance = [](std::string name) {
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name.starts_with("ld") || name.find("pitch") != std::string::npos ||
           name.find("stride") != std::string::npos;
  };
  for (const AdoptedParameter& parameter : kernel.parameters) {
    if (!is_array(parameter) || parameter.answered || parameter.strides.size() < 2) continue;
    const FormulaPtr &columns = parameter.shape.back(), &apart = parameter.strides[parameter.strides.size() - 2];
    if (apart->kind != Op::symbol || columns->kind == Op::number) continue;
    if (parameter.role == "input" && !is_distance(apart->symbol)) continue;
    const FormulaPtr fits = formula(Op::le, {columns, apart});
    if (std::ranges::none_of(kernel.conditions, [&](const Condition& each) { return equal(*each.formula, *fits); }))
      kernel.conditions.push_back({fits, fmt::format("rows of '{}' do not overlap", parameter.name)});
  }
}

/// What to try, simplest first: a step for all, and whether tiles of the launch are steps.
struct Steps {
  std::int64_t step;
  bool tiles;             // sizes that blocks cover in tiles are multiples of these
  std::int64_t most = 0;  // of the only size, where arrays are squares of it; 0: as many as for a vector
  bool beyond = false;    // sizes that blocks cover in tiles go beyond a few of these
};
constexpr Steps kSteps[] = {{1, false}, {1, false, 700}, {1, false, 0, true}, {1, true},   {4, false},
                            {8, true},  {16, false},     {32, false},         {64, false}, {128, false}};

/// Each size alone far up: what a block cannot hold ends there. Where a launch at 256 takes long already, the sizes are
/// tried from there on upwards, for a while; where it does not end, what is larger does not either.
class Limits {
 public:
  Limits(AdoptedKernel& kernel, Attempt& attempt) : kernel_(kernel), attempt_(attempt) {}

  void find() {
    for (AdoptedSize& size : kernel_.sizes) {
      const auto begin = std::chrono::steady_clock::now();
      const bool holds = size.step > kSlow || holds_at(size, kSlow);
      const double took_s = seconds_since(begin);
      const bool slow = took_s > kSlow_s;
      if (slow && holds) upwards(size, took_s);
      else downwards(size, slow ? kSlow / 2 : kHighest);
    }
  }

 private:
  static constexpr std::int64_t kSlow = 256, kHighest = 4096;
  static constexpr double kLongestOfSize_s = 2, kSlow_s = kLongestOfSize_s * kSlow / kHighest;

  bool holds_at(const AdoptedSize& size, std::int64_t top) {
    std::vector<Values> points{far_up(size, top / size.step * size.step),
                               far_up(size, std::max(size.step, (top - 1) / size.step * size.step))};
    std::erase_if(points, [&](const Values& each) { return !conditions_hold(kernel_, each); });
    return points.empty() || attempt_.holds_at(points);
  }

  /// The others are small, but for those that a condition ties to it.
  Values far_up(const AdoptedSize& size, std::int64_t value) const {
    Values point;
    for (const AdoptedSize& each : kernel_.sizes) point[each.symbol] = std::max(each.low, each.step * 2);
    point[size.symbol] = value;
    for (const Condition& condition : kernel_.conditions) {
      const std::set<std::string> tied = symbols_of(*condition.formula);
      if (!tied.contains(size.symbol) || evaluate(*condition.formula, point) != 0) continue;
      for (const std::string& each : tied)
        if (point.contains(each)) point[each] = value;
    }
    return point;
  }

  void downwards(AdoptedSize& size, std::int64_t from) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::int64_t top = from; top >= std::max<std::int64_t>(64, size.step); top /= 2) {
      if (holds_at(size, top)) {
        if (top == kHighest) return beyond(size);
        size.high = top;
        size.evidence += fmt::format("; {} works, {} does not", top, 2 * top);
        return;
      }
      if (top == 64) size.high = std::max(size.step, std::int64_t{64});
      if (from < kHighest && seconds_since(begin) > kLongestOfSize_s) {
        size.high = std::max(size.low, 2 * size.step);
        size.evidence += fmt::format("; {} works, what is larger takes long to try", size.high);
        return;
      }
    }
  }

  /// A sole size counts the elements of whole arrays: a GPU is busy with millions. As far as an arena reaches.
  void beyond(AdoptedSize& size) {
    constexpr std::int64_t kUsual = 65536, kMost = 1 << 22;
    if (kernel_.sizes.size() != 1 || size.high != kUsual) return;
    double expected_s = 0;
    for (std::int64_t top = kUsual; top <= kMost && expected_s < kLongestOfSize_s; top *= 2) {
      const auto begin = std::chrono::steady_clock::now();
      size.high = top;
      if (!holds_at(size, top)) {
        size.high = std::max(top / 2, kUsual);
        return;
      }
      expected_s = 2 * seconds_since(begin);
    }
  }

  /// `last_s`: what the first step took; each further one takes twice as long or more.
  void upwards(AdoptedSize& size, double last_s) {
    std::int64_t works = kSlow;
    for (std::int64_t top = 2 * kSlow; top <= kHighest; top *= 2) {
      const auto begin = std::chrono::steady_clock::now();
      if (2 * last_s > kLongestOfSize_s) {
        size.evidence += fmt::format("; {} works, what is larger takes long to try", works);
        break;
      }
      if (!holds_at(size, top)) {
        size.evidence += fmt::format("; {} works, {} does not", works, top);
        break;
      }
      works = top;
      last_s = seconds_since(begin);
    }
    if (works < kHighest) size.high = works;
  }

  AdoptedKernel& kernel_;
  Attempt& attempt_;
};

std::set<std::string> used_by_arrays(const AdoptedKernel& kernel) {
  std::set<std::string> used;
  for (const AdoptedParameter& parameter : kernel.parameters) {
    for (const FormulaPtr& extent : parameter.shape) used.merge(symbols_of(*extent));
    for (const FormulaPtr& stride : parameter.strides) used.merge(symbols_of(*stride));
  }
  return used;
}

/// quant_min and quant_max: limits that values are held between, and no counts. "": a name that says no such thing.
std::string other_limit(const std::string& name, const char* own, const char* other) {
  const std::size_t at = name.find(own);
  return at == std::string::npos ? "" : std::string(name).replace(at, std::string(own).size(), other);
}

/// Numbers that no array and no launch depends on, and that are called the least and the most of something, are
/// settings.
void settle_limits(AdoptedKernel& kernel, const std::set<std::string>& used) {
  constexpr double kUsualLeast = 0, kUsualMost = 127;
  const auto is_open = [&](const std::string& name) {
    const AdoptedSize* const size = kernel.size(name);
    return size != nullptr && size->values.empty() && !used.contains(name);
  };
  for (AdoptedParameter& parameter : kernel.parameters) {
    const std::string name = parameter.name, most = other_limit(name, "min", "max");
    if (parameter.kind != Param::size || most.empty() || !is_open(name) || !is_open(most)) continue;
    const auto other = std::ranges::find(kernel.parameters, most, &AdoptedParameter::name);
    const auto said = [](const std::string& each) { return fmt::format("nobody said which; --set {}=VALUE", each); };
    set_parameter(kernel, parameter, number(kUsualLeast), said(name));
    set_parameter(kernel, *other, number(kUsualMost), said(most));
  }
}

/// Where elements for each block follow its threads, they are tried with another number of these: the kernel may count
/// on the number that the launch has.
void settle_grid(AdoptedKernel& kernel, const Subject& subject, Observer& observer, const Artifact& artifact,
                 Seen& seen) {
  if (kernel.written_grid.empty()) return;
  AdoptedKernel other = kernel;
  bool changed = false;
  for (auto& [name, values] : other.tuned) {
    if (other.bound.at(name) != "launch" || values.size() < 2) continue;
    values = {values[1]};
    changed = true;
  }
  if (!changed) return;
  reach_beyond(other, tiles_of(kernel));
  const std::vector<Values> points = points_of(other, 4, 23);
  const auto holds = [&] { return Attempt(other, subject, observer, artifact, seen).holds_at(points); };
  if (holds()) return;
  other.launch.grid = kernel.written_grid;
  if (!holds()) return;
  kernel.launch.grid = kernel.written_grid;
  kernel.launch.from += ", and each block has as many elements as before";
}

/// A whole number that neither an array nor a launch depends on counts something that each thread does. Beside the
/// extents it multiplies the work, which nothing here sees: large values of both would take hours.
void limit_counts(AdoptedKernel& kernel) {
  constexpr std::int64_t kMostTurns = 64;
  std::set<std::string> used = used_by_arrays(kernel);
  for (const LaunchShape* launch : kernel.launches()) {
    for (const std::vector<FormulaPtr>* each : {&launch->grid, &launch->block})
      for (const FormulaPtr& extent : *each) used.merge(symbols_of(*extent));
    used.merge(symbols_of(*launch->shared));
  }
  settle_limits(kernel, used);
  for (AdoptedSize& size : kernel.sizes) {
    if (used.contains(size.symbol) || !size.values.empty() || size.high <= kMostTurns) continue;
    size.high = std::max(kMostTurns, size.low);
    size.evidence += fmt::format("; no array depends on it: up to {}, or --size {}=VALUES", size.high, size.name);
  }
}

/// Launch sizes that no pointer depends on are settings of the launch.
void freeze_settings(AdoptedKernel& kernel, Seen& seen) {
  const std::set<std::string> used = used_by_arrays(kernel);
  std::erase_if(kernel.sizes, [&](const AdoptedSize& size) {
    const bool of_kernel = std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                                       [&](const AdoptedParameter& each) { return each.name == size.symbol; });
    if (of_kernel || used.contains(size.symbol)) return false;
    const std::int64_t value = !size.values.empty() ? size.values.front() : size.host.value_or(8);
    std::map<std::string, FormulaPtr> replaced{{size.symbol, number(static_cast<double>(value))}};
    kernel.replace_in_launches(replaced);
    seen.notes.push_back(fmt::format("{} = {}: no array depends on it", size.name, value));
    return true;
  });
}

/// Where the values of one input say how far arrays go, it may be an index: below a size that the kernel is passed. If
/// every element is the greatest one, all arrays are as large as sizes say.
class IndexGuess : public Observing {
 public:
  /// `of_values`: the arrays that values of others reach into.
  IndexGuess(const Observing& observing, const std::set<std::string>& of_values)
      : Observing(observing), of_values_(of_values) {}

  /// A size that some other array has, too, proves nothing: a table that is looked up in is seldom as long as what is
  /// looked up. Where several would do, the one that leaves the fewest of the kernel's sizes without an array. Where
  /// none proves anything, but of several sizes just one fits at all (the beams of a batch), it is that.
  bool find(const std::function<void(Attempt&)>& finish) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<Guess> fitting;
    std::size_t tried_sizes = 0;
    for (std::size_t p = 0; p < kernel_.parameters.size(); ++p)
      for (const AdoptedParameter& size : std::vector<AdoptedParameter>(kernel_.parameters)) {
        if (!may_be_index(kernel_.parameters[p]) || size.kind != Param::size) continue;
        if (seconds_since(begin) > kLongest_s) break;
        AdoptedKernel tried = kernel_;
        Attempt attempt = guess(tried, p, size.name);
        ++tried_sizes;
        if (!attempt.run() || !attempt.is_plain()) continue;
        attempt.keep();
        fitting.push_back({p, size.name, sizes_used(tried)});
        if (!is_of_values_alone(tried, size.name)) continue;
        if (const std::size_t used = sizes_used(tried); !best_ || used > best_->used) best_ = Guess{p, size.name, used};
      }
    if (!best_ && fitting.size() == 1 && tried_sizes >= kSeveral) best_ = fitting.front();
    if (!best_) return false;
    Attempt attempt = guess(kernel_, best_->parameter, best_->below);
    AdoptedParameter& index = kernel_.parameters[best_->parameter];
    if (!attempt.run()) {  // it did before: a run may be killed for memory
      index.below = nullptr;
      index.greatest = false;
      return false;
    }
    attempt.keep();
    index.evidence += fmt::format("; an index below {}: then all arrays are as large as sizes say", best_->below);
    finish(attempt);
    index.greatest = false;
    return true;
  }

 private:
  static constexpr double kLongest_s = 20;
  static constexpr std::size_t kSeveral = 3;
  struct Guess {
    std::size_t parameter = 0;
    std::string below;
    std::size_t used = 0;
  };

  static bool may_be_index(const AdoptedParameter& parameter) {
    return parameter.kind == Param::pointer && !is_floating(parameter.dtype) && storage_bytes(parameter.dtype) >= 4 &&
           !parameter.below && parameter.declared_read_only;
  }

  Attempt guess(AdoptedKernel& kernel, std::size_t parameter, const std::string& below) {
    kernel.parameters[parameter].below = symbol(below);
    kernel.parameters[parameter].greatest = true;
    return {kernel, subject_, observer_, artifact_, seen_};
  }

  bool is_of_values_alone(const AdoptedKernel& kernel, const std::string& size) const {
    return std::ranges::none_of(kernel.parameters, [&](const AdoptedParameter& each) {
      return !of_values_.contains(each.name) && std::ranges::any_of(each.shape, [&](const FormulaPtr& extent) {
        return symbols_of(*extent).contains(size);
      });
    });
  }

  static std::size_t sizes_used(const AdoptedKernel& kernel) {
    const std::set<std::string> used = used_by_arrays(kernel);
    return static_cast<std::size_t>(
        std::ranges::count_if(kernel.sizes, [&](const AdoptedSize& each) { return used.contains(each.symbol); }));
  }

  const std::set<std::string>& of_values_;
  std::optional<Guess> best_;
};

/// Where arrays are touched as far as values say, the values of one input may say whether something is read at all: a
/// mask. If every element of it is 1 (or every one is 0), all arrays are as large as the sizes say, and other values
/// never lead further.
class MaskGuess : public Observing {
 public:
  using Observing::Observing;

  bool find(const std::function<void(Attempt&)>& finish) {
    for (std::size_t p = 0; p < kernel_.parameters.size(); ++p)
      for (const std::int64_t value : {1, 0})
        if (may_be_mask(kernel_.parameters[p]) && holds(p, value, finish)) return true;
    return false;
  }

 private:
  static bool may_be_mask(const AdoptedParameter& parameter) {
    return parameter.kind == Param::pointer && !is_floating(parameter.dtype) && !parameter.below &&
           parameter.declared_read_only;
  }

  bool holds(std::size_t p, std::int64_t value, const std::function<void(Attempt&)>& finish) {
    AdoptedKernel tried = kernel_;
    tried.parameters[p].held = value;
    Attempt attempt(tried, subject_, observer_, artifact_, seen_);
    if (!attempt.run()) return false;
    attempt.keep();
    tried.parameters[p].held.reset();
    if (!attempt.stays_inside(points_of(tried, 6, 19))) return false;
    kernel_.parameters[p].held = value;
    Attempt kept(kernel_, subject_, observer_, artifact_, seen_);
    const bool again = kept.run();
    if (again) {
      kept.keep();
      kernel_.parameters[p].evidence +=
          fmt::format("; where it is {} throughout, arrays are as large as sizes say", value);
      finish(kept);
    }
    kernel_.parameters[p].held.reset();
    return again;
  }
};

/// Where nothing fits, a size may be one that must not exceed another (of a head what is rotated) or a multiple of one
/// (channels of groups).
class RelationGuess : public Observing {
 public:
  using Observing::Observing;

  bool find(const std::function<void(Attempt&)>& finish) {
    const auto begin = std::chrono::steady_clock::now();
    for (const auto& [a, b] : pairs())
      for (const Op kind : {Op::le, Op::modulo})
        for (const std::int64_t step : {1, 4}) {
          if (seconds_since(begin) > kLongest_s) return false;
          if (holds(step, relation(kind, a, b), finish)) return true;
        }
    return false;
  }

 private:
  static constexpr double kLongest_s = 20;
  using Pair = std::pair<AdoptedSize, AdoptedSize>;

  /// Names that end alike measure one thing, as kv_heads and heads: they come first.
  std::vector<Pair> pairs() const {
    std::vector<Pair> all;
    for (const AdoptedSize& a : kernel_.sizes)
      for (const AdoptedSize& b : kernel_.sizes)
        if (a.symbol != b.symbol) all.emplace_back(a, b);
    const auto alike = [](const Pair& pair) {
      const std::string &a = pair.first.name, &b = pair.second.name;
      return std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin();
    };
    std::ranges::stable_sort(all, std::ranges::greater{}, alike);
    return all;
  }

  static Condition relation(Op kind, const AdoptedSize& a, const AdoptedSize& b) {
    if (kind == Op::le)
      return {formula(Op::le, {symbol(a.symbol), symbol(b.symbol)}),
              fmt::format("it runs well where {} <= {} only", a.name, b.name)};
    return {formula(Op::eq, {formula(Op::modulo, {symbol(a.symbol), symbol(b.symbol)}), number(0)}),
            fmt::format("it runs well where {} is a multiple of {} only", a.name, b.name)};
  }

  bool holds(std::int64_t step, const Condition& condition, const std::function<void(Attempt&)>& finish) {
    AdoptedKernel tried = kernel_;
    set_steps(tried, step, {});
    tried.conditions.push_back(condition);
    Attempt attempt(tried, subject_, observer_, artifact_, seen_);
    if (!attempt.run()) return false;
    attempt.keep();
    if (attempt.reaches_further()) return false;
    kernel_ = tried;
    Attempt kept(kernel_, subject_, observer_, artifact_, seen_);
    if (!kept.run()) return false;
    kept.keep();
    finish(kept);
    return true;
  }
};

/// A step that one size alone needs (channels a multiple of 32): as a step of all sizes it leaves none that are small.
bool find_single_step(AdoptedKernel& kernel, const std::function<bool()>& understood) {
  constexpr double kLongestOfSteps_s = 20;
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = kernel.sizes.size(); i-- > 0;) {  // the last one is innermost more often than not
    AdoptedSize& size = kernel.sizes[i];
    if (counts_blocks(kernel, size)) continue;
    for (const std::int64_t step : {32, 128}) {  // what less will do is found afterwards
      if (seconds_since(begin) > kLongestOfSteps_s) return false;
      set_steps(kernel, 1, {});
      size.step = size.low = step;
      if (understood()) return true;
    }
  }
  return false;
}

/// Where the host says nothing of its sizes, a person may know.
std::string unknown_relations_of(const AdoptedKernel& kernel) {
  std::vector<std::string> names;
  for (const AdoptedSize& size : kernel.sizes) names.push_back(size.name);
  return fmt::format("where one of its sizes ({}) follows from others, say --set \"{}=EXPR\"", fmt::join(names, ", "),
                     names.front());
}

/// "the host has blocks = (n + 13) / 14": of the sizes that were taken for free.
std::string relations_of(const AdoptedKernel& kernel) {
  std::vector<std::string> texts;
  std::string first;
  for (const AdoptedSize& size : kernel.sizes) {
    const auto written = kernel.launch.written.find(size.symbol);
    if (written == kernel.launch.written.end()) continue;
    if (first.empty()) first = size.name;
    texts.push_back(fmt::format("{} = {}", size.name, written->second));
  }
  if (texts.empty()) return kernel.sizes.size() < 2 ? "" : unknown_relations_of(kernel);
  return fmt::format(
      "of its sizes, say --set \"{}=EXPR\" of one that follows from others and --set {}=1 of one that is the same in "
      "every call (the host has {})",
      first, first, fmt::join(texts, ", "));
}

/// The input whose floating numbers say where the kernel reads or writes: it stays inside where they are zero. "":
/// none.
std::string leading_floats(const AdoptedKernel& kernel, const Subject& subject, Observer& observer,
                           const Artifact& artifact, Seen& seen) {
  for (const AdoptedParameter& parameter : kernel.parameters) {
    if (parameter.kind != Param::pointer || !is_floating(parameter.dtype) || !parameter.declared_read_only) continue;
    std::vector<ObservedLaunch> launches;
    for (const Values& point : points_of(kernel, 4, 1)) {
      launches.push_back(launch_at(kernel, subject.entry, point, 0, false));
      for (Arena& arena : launches.back().arenas)
        if (arena.name == parameter.name)
          arena.content = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(kContentBytes));
    }
    const std::vector<Observation> observed = observer.run(artifact, launches);
    seen.runs += static_cast<int>(observed.size());
    if (!observed.empty() && std::ranges::all_of(observed, ended_well)) return parameter.name;
  }
  return "";
}

}  // namespace

Seen observe(AdoptedKernel& kernel, const Subject& subject, Observer& observer) {
  Seen seen;
  const Artifact artifact = build(subject, observer);
  std::string first;
  std::vector<Question> questions;
  std::set<std::string> of_values;
  const std::map<std::string, std::int64_t> tiles = tiles_of(kernel);
  const auto begin = std::chrono::steady_clock::now();
  int untouched = 0;
  std::optional<Steps> narrow;   // everything fits there, but larger sizes reach further
  Steps of_questions{1, false};  // it runs well there, but arrays end where values say
  const auto finish = [&](Attempt& attempt) {
    keep_rows_apart(kernel);
    attempt.order_shapes();
    if (refine_steps(kernel, attempt)) attempt.order_shapes();  // smaller sizes show rows that one block alone covers
    try_other_types(kernel, subject, observer, seen);
    find_least(kernel, attempt);
    Limits(kernel, attempt).find();
    for (AdoptedSize& size : kernel.sizes)
      if (size.step > 1) size.evidence += fmt::format("; it runs on multiples of {} only", size.step);
    freeze_settings(kernel, seen);
    limit_counts(kernel);
    settle_grid(kernel, subject, observer, artifact, seen);
  };
  int endless = 0;
  for (const auto& [step, tiled, most, beyond] : kSteps) {
    if ((tiled && tiles.empty()) || (most > 0 && kernel.sizes.size() != 1)) continue;
    if (beyond && (tiles.empty() || !narrow)) continue;
    if (seconds_since(begin) > kLongest_s) break;
    set_steps(kernel, step, tiled ? tiles : std::map<std::string, std::int64_t>());
    if (beyond) reach_beyond(kernel, tiles);
    Attempt attempt(kernel, subject, observer, artifact, seen);
    const std::int64_t high = kernel.sizes.empty() ? 0 : kernel.sizes.front().high;
    if (most > 0) kernel.sizes.front().high = most;
    const bool understood = attempt.run();
    if (most > 0) kernel.sizes.front().high = high;
    if (understood) {
      attempt.keep();
      if (attempt.reaches_further()) {
        if (!narrow) narrow = Steps{step, tiled};
        continue;
      }
      finish(attempt);
      return seen;
    }
    if (first.empty() && !attempt.of_values.empty() &&
        MaskGuess(kernel, subject, observer, artifact, seen).find(finish))
      return seen;
    if (first.empty()) first = attempt.why;
    if (!attempt.questions.empty() && questions.empty()) {
      questions = attempt.questions;
      of_values = attempt.of_values;
      of_questions = {step, tiled};
    }
    if (kernel.sizes.empty() || (attempt.untouched && ++untouched == kMostUntouched)) break;
    if (attempt.endless && ++endless == kMostEndless) break;
  }
  if (narrow) {
    set_steps(kernel, narrow->step, narrow->tiles ? tiles : std::map<std::string, std::int64_t>());
    Attempt attempt(kernel, subject, observer, artifact, seen);
    if (attempt.run()) {
      attempt.keep();
      finish(attempt);
      return seen;
    }
  }
  const auto understood = [&] {
    Attempt attempt(kernel, subject, observer, artifact, seen);
    if (!attempt.run()) return false;
    attempt.keep();
    if (attempt.reaches_further()) return false;
    finish(attempt);
    return true;
  };
  if (of_values.empty() && untouched == 0 && kernel.sizes.size() > 2 && find_single_step(kernel, understood))
    return seen;
  set_steps(kernel, of_questions.step, of_questions.tiles ? tiles : std::map<std::string, std::int64_t>());
  if (!of_values.empty() && IndexGuess({kernel, subject, observer, artifact, seen}, of_values).find(finish))
    return seen;
  if (of_values.empty() && untouched == 0 && endless == 0 && kernel.sizes.size() > 1 &&
      RelationGuess(kernel, subject, observer, artifact, seen).find(finish))
    return seen;
  seen.relations = relations_of(kernel);
  if (questions.empty())
    if (const std::string floats = leading_floats(kernel, subject, observer, artifact, seen); !floats.empty())
      throw bad_input(
          fmt::format("'{}' runs well where '{}' is zero only: its floating-point numbers say where other arrays are "
                      "read, so no drawn numbers suit it; write the plugin by hand (harness new kernel)",
                      kernel.shown_name(), floats));
  if (questions.empty())
    throw bad_input(
        fmt::format("'{}' did not run well on the cpu device at any sizes that were tried; {}; give its sizes with "
                    "--arg and --size, or its launch with --grid and --block{}",
                    kernel.shown_name(), first, seen.relations.empty() ? "" : "; " + seen.relations));
  seen.questions = questions;
  return seen;
}

}  // namespace harness::adopt
