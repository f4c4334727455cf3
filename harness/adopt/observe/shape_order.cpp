#include "harness/adopt/observe/shape_order.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "harness/adopt/observe/host_hints.h"
#include "harness/adopt/observe/index_text.h"
#include "harness/adopt/observe/observed_launch.h"
#include "harness/adopt/observe/order.h"
#include "harness/adopt/observe/points.h"
#include "harness/core/dtype.h"

namespace harness::adopt {
namespace {

class ShapeOrder : public Observing {
 public:
  explicit ShapeOrder(const Observing& observing) : Observing(observing) {}

  void find() {
    put_blocks_first();
    Glimpses open = kernel_.sizes.empty() ? Glimpses() : unordered_arrays();
    if (!kernel_.sizes.empty()) look_from_all_sides(open);
    put_constants_last();
    for (const auto& [p, glimpses] : open) order_like_others(p);
  }

 private:
  static constexpr double kDeadline_s = 2;  // of launches of a few threads

  /// What was glimpsed of each array whose order is not sure.
  using Glimpses = std::map<std::size_t, std::vector<Glimpse>>;

  Glimpses unordered_arrays() const {
    Glimpses open;
    for (std::size_t p = 0; p < kernel_.parameters.size(); ++p) {
      const AdoptedParameter& parameter = kernel_.parameters[p];
      if (may_move(parameter) && !parameter.bound && parameter.shape.size() >= 2 &&
          !host_says_order(kernel_, parameter))
        open[p] = {};
    }
    return open;
  }

  static bool may_move(const AdoptedParameter& parameter) {
    return parameter.kind == Param::pointer && !parameter.answered && parameter.strides.empty();
  }

  void look_from_all_sides(Glimpses& open) {
    std::vector<std::vector<Values>> looks{wide_points(300), wide_points(70), points_of(kernel_, 3, 5)};
    for (const AdoptedSize& size : kernel_.sizes) looks.push_back(points_of_one(size));
    for (const std::vector<Values>& points : looks) {
      if (open.empty()) break;
      for (const std::vector<ObservedLaunch>& part : parts_of(points))
        if (!glimpse(part, points, open)) return;
      std::erase_if(open, [&](const auto& array) { return is_ordered(array.first, array.second); });
    }
  }

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
        const auto order =
            static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(std::max<std::int64_t>(2, steps)));
        const auto count = std::max<std::int64_t>(2, steps / 2 + 1) + order;
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
    std::erase_if(points, [&](const Values& point) { return !conditions_hold(kernel_, point); });
    return points;
  }

  /// The launch at each point, as `smaller` makes its grid and block.
  std::vector<ObservedLaunch> small_launches(const std::vector<Values>& points,
                                             const std::function<void(Launch&)>& smaller) const {
    std::vector<ObservedLaunch> launches;
    for (const Values& point : points) {
      launches.push_back(launch_at(kernel_, subject_.entry, point, 0, false));
      launches.back().deadline_s = kDeadline_s;
      smaller(launches.back().launch);
      for (Launch& launch : launches.back().further) smaller(launch);
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

  /// Adds what these launches, one at each point, touched of each open array. False: one did not end. A kernel may
  /// count on more threads: the step of its loop is then 0, and the host's order of the sizes has to do.
  bool glimpse(const std::vector<ObservedLaunch>& launches, const std::vector<Values>& points, Glimpses& open) {
    const std::vector<Observation> observed = look(launches);
    if (std::ranges::any_of(observed, &Observation::endless)) return false;
    for (auto& [p, glimpses] : open) {
      const AdoptedParameter& parameter = kernel_.parameters[p];
      const int bytes = storage_bytes(parameter.dtype);
      Glimpse& glimpse = glimpses.emplace_back();
      for (std::size_t i = 0; i < points.size(); ++i) {
        if (!ended_well(observed[i])) continue;
        glimpse.points.push_back(all_values(kernel_, points[i]));
        Parts& parts = glimpse.parts.emplace_back();
        for (const auto& [begin, end] : observed[i].arenas.at(parameter.name).parts)
          parts.emplace_back(begin / bytes, (end + bytes - 1) / bytes);
      }
    }
    return true;
  }

  /// Puts its sizes into the order that was seen. True: no further look is needed.
  bool is_ordered(std::size_t p, const std::vector<Glimpse>& glimpses) {
    AdoptedParameter& parameter = kernel_.parameters[p];
    std::set<std::string> symbols;
    for (const FormulaPtr& extent : parameter.shape) symbols.merge(symbols_of(*extent));
    const Order order = order_of(parameter.shape, glimpses, parameter.bordered,
                                 strides_in_text(subject_.build.source, parameter.name, symbols));
    parameter.shape = order.shape;
    return order.sure;
  }

  /// What the kernel is not told, or only compares with, cannot be a distance between elements: it is outermost.
  void put_blocks_first() {
    const auto counts_alone = [&](const FormulaPtr& extent) {
      return extent->kind == Op::symbol && (is_told_nothing_of(kernel_, subject_.build.source, extent->symbol) ||
                                            only_compares(subject_.build.source, extent->symbol));
    };
    for (AdoptedParameter& parameter : kernel_.parameters)
      if (may_move(parameter) && !host_says_order(kernel_, parameter))
        std::ranges::stable_partition(parameter.shape, counts_alone);
  }

  /// An array with a constant among its extents whose order not all was seen of, since each block goes through all of
  /// it (a bias of [3, heads, dim]): as in an array that has the same extents and more, where the constant is not last.
  void order_like_others(std::size_t p) {
    AdoptedParameter& own = kernel_.parameters[p];
    if (std::ranges::none_of(own.shape, [](const FormulaPtr& extent) { return extent->kind == Op::number; })) return;
    for (std::size_t q = 0; q < kernel_.parameters.size(); ++q) {
      const AdoptedParameter& other = kernel_.parameters[q];
      const bool tells = q != p && other.kind == Param::pointer && other.shape.size() > own.shape.size() &&
                         other.shape.back()->kind != Op::number;
      if (!tells) continue;
      std::vector<FormulaPtr> left = own.shape, ordered;
      for (const FormulaPtr& extent : other.shape) {
        const auto same =
            std::ranges::find_if(left, [&](const FormulaPtr& operand) { return equal(*operand, *extent); });
        if (same == left.end()) continue;
        ordered.push_back(*same);
        left.erase(same);
      }
      if (!left.empty()) continue;
      own.shape = ordered;
      return;
    }
  }

  /// The constant among the extents of an array that may be put last; nullptr: it has none.
  static FormulaPtr constant_of(const AdoptedParameter& parameter) {
    const auto constant =
        std::ranges::find_if(parameter.shape, [](const FormulaPtr& extent) { return extent->kind == Op::number; });
    const bool movable = may_move(parameter) && parameter.shape.size() >= 2 && constant != parameter.shape.end();
    return movable ? *constant : nullptr;
  }

  static void move_last(AdoptedParameter& parameter, const FormulaPtr& constant) {
    std::erase(parameter.shape, constant);
    parameter.shape.push_back(constant);
  }

  /// Does one thread alone touch just these elements?
  static bool is_of_one_thread(const AdoptedParameter& parameter, const FormulaPtr& constant,
                               const std::vector<Observation>& observed) {
    const std::int64_t bytes = static_cast<std::int64_t>(constant->number) * storage_bytes(parameter.dtype);
    return std::ranges::all_of(observed, [&](const Observation& observation) {
      const ArenaSeen& seen = observation.arenas.at(parameter.name);
      return std::max(seen.read_end, seen.write_end) == bytes;
    });
  }

  /// x, y and z of a point lie side by side where one thread alone touches just these.
  void put_constants_last() {
    for (AdoptedParameter& parameter : kernel_.parameters)  // the elements of one float4
      if (const FormulaPtr constant = constant_of(parameter);
          constant && parameter.lanes > 1 && constant->number == parameter.lanes)
        move_last(parameter, constant);
    if (std::ranges::none_of(kernel_.parameters,
                             [](const auto& parameter) { return constant_of(parameter) != nullptr; }))
      return;
    const std::vector<Observation> observed = look(small_launches(points_of(kernel_, 3, 5), make_one_thread));
    if (observed.empty() || !std::ranges::all_of(observed, ended_well)) return;
    std::set<double> proven;
    for (AdoptedParameter& parameter : kernel_.parameters) {
      const FormulaPtr constant = constant_of(parameter);
      if (!constant || !is_of_one_thread(parameter, constant, observed)) continue;
      proven.insert(constant->number);
      move_last(parameter, constant);
    }
    // Where a thread touches all of an array, its neighbours with points of as many numbers tell.
    for (AdoptedParameter& parameter : kernel_.parameters)
      if (const FormulaPtr constant = constant_of(parameter); constant && proven.contains(constant->number))
        move_last(parameter, constant);
  }
};

}  // namespace

void order_shapes(const Observing& observing) {
  ShapeOrder(observing).find();
}

}  // namespace harness::adopt
