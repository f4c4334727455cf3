#include "harness/adopt/observe/attempt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/adopt/observe/host_hints.h"
#include "harness/adopt/observe/observed_launch.h"
#include "harness/adopt/observe/order.h"
#include "harness/adopt/observe/points.h"
#include "harness/core/dtype.h"
#include "harness/core/error.h"

namespace harness::adopt {
namespace {

constexpr double kFewestThreads = 1 << 11;  // of a launch that is made shorter
constexpr double kTurnsAtFirst = 1 << 22;   // where smaller sizes will do, launches are made shorter than that
constexpr double kMostFarUp = 400;          // effort of launches; no further size is tried far up
constexpr std::size_t kAtOnce = 6;          // launches
constexpr std::size_t kFitPoints = 10, kHeldOut = 4;

std::string text_of(const Values& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text.empty() ? "the one size there is" : text;
}

/// A finding is a sentence of the checker: "wrote 4 bytes at x.cu:2: bytes -4 to -1 of 'x'" (device/cpu/check).
bool reaches_before_begin(const std::string& finding) {
  return finding.find(": bytes -") != std::string::npos;
}

/// Elements in front of the first one that is touched.
std::int64_t left_out_before(const AdoptedParameter& parameter, const ArenaSeen& seen) {
  std::int64_t begin = std::max(seen.read_end, seen.write_end);
  if (seen.read > 0) begin = std::min(begin, seen.read_begin);
  if (seen.written > 0) begin = std::min(begin, seen.write_begin);
  return begin / storage_bytes(parameter.dtype);
}

bool overlaps(const ArenaSeen& seen) {
  return seen.read_begin < seen.write_end && seen.write_begin < seen.read_end;
}

/// Its length is not observed.
bool is_said(const AdoptedParameter& parameter) {
  return parameter.answered || parameter.allocated || parameter.bound;
}

/// Of rows with a stride, without what lies between them; nothing: they lie one in another there.
std::optional<std::int64_t> bytes_of_rows(const Fitted& fitted, const AdoptedParameter& parameter,
                                          const Values& values) {
  std::int64_t bytes = storage_bytes(parameter.dtype);
  for (const FormulaPtr& extent : fitted.shape) bytes *= evaluate(*extent, values).value_or(0);
  const std::size_t last = fitted.shape.size() - 1;
  const auto columns = evaluate(*fitted.shape[last], values), apart = evaluate(*fitted.strides[last - 1], values);
  return columns && apart && *columns <= *apart ? std::optional(bytes) : std::nullopt;
}

/// No sum or difference, which a border may be behind.
bool is_product(const std::optional<Fitted>& fitted) {
  return fitted && std::ranges::none_of(fitted->shape, [](const FormulaPtr& extent) {
           return extent->kind == Op::add || extent->kind == Op::subtract;
         });
}

bool take_allocation(ArrayFit& fit, const Fitted& allocated) {
  fit.fitted = allocated;
  fit.allocated = true;
  fit.evidence += "; as long as the host allocates it";
  return true;
}

void say_role(ArrayFit& fit, const Touched& touched) {
  fit.whole = touched.whole && touched.read_whole;
  fit.role = !touched.written ? "input" : touched.read_first || !touched.whole ? "inout" : "output";
  fit.evidence = !touched.written     ? "only read"
                 : touched.read_first ? (touched.atomic ? "atomics add to what it held" : "read before it was written")
                 : !touched.whole     ? "not written everywhere, so what it held shows"
                 : touched.read       ? "written before it was read"
                                      : "only written";
}

}  // namespace

bool Attempt::run() {
  points_ = points_of(kernel_, kernel_.sizes.empty() ? 1 : kFitPoints + kHeldOut, 1);
  if (points_.empty()) return fail("no sizes are small enough to try");
  if (!run_launches()) return false;
  fits_.assign(kernel_.parameters.size(), {});
  bool understood = true;
  for (std::size_t p = 0; p < kernel_.parameters.size(); ++p)
    if (is_array(kernel_.parameters[p])) understood = understand(kernel_.parameters[p], fits_[p]) && understood;
  return understood;
}

/// Each point once, the first ones with several fills. Where a launch fails, the rest is not waited for.
bool Attempt::run_launches() {
  observed_ = {first_look()};
  launches_.clear();
  std::vector<ObservedLaunch> launches;
  for (std::size_t i = 0; i < points_.size(); ++i)
    for (unsigned fill = 0; fill < (i < 2 || points_.size() == 1 ? 3U : 1U); ++fill) {
      launches.push_back(launch_at(kernel_, subject_.entry, points_[i], fill, false));
      launches_.emplace_back(i, fill);
    }
  for (std::size_t checked = 0, end = 1; checked < launches.size(); end = std::min(end + kAtOnce, launches.size())) {
    if (observed_.size() < end)
      for (Observation& observation : look({launches.begin() + static_cast<std::ptrdiff_t>(observed_.size()),
                                            launches.begin() + static_cast<std::ptrdiff_t>(end)}))
        observed_.push_back(std::move(observation));
    for (; checked < end; ++checked) {
      const Observation& observation = observed_[checked];
      const std::string where = text_of(points_[launches_[checked].first]);
      endless = endless || observation.endless;
      if (!observation.failure.empty()) return fail(fmt::format("at {}: {}", where, observation.failure));
      if (observation.findings.empty()) continue;
      before_begin = reaches_before_begin(observation.findings.front());
      return fail(fmt::format("at {}: {}", where, observation.findings.front()));
    }
  }
  return true;
}

/// The launch at the first point. Where its threads go through their loops often, launches have fewer threads from now
/// on, and the points are others.
Observation Attempt::first_look() {
  const auto look_once = [&] { return look({launch_at(kernel_, subject_.entry, points_.front(), 0, false)}).front(); };
  const KernelPoint first = point_of(kernel_, points_.front());
  const double turns = first.turns;
  if (turns <= kTurnsAtFirst) return look_once();
  const double threads = first.threads * kTurnsAtFirst / turns;
  const double most = std::max(kFewestThreads, std::exp2(std::floor(std::log2(threads))));
  if (most >= kernel_.most_threads) return look_once();
  kernel_.most_threads = most;
  points_ = points_of(kernel_, points_.size(), 1);
  return look_once();
}

bool Attempt::fail(std::string sentence) {
  why = std::move(sentence);
  return false;
}

bool Attempt::ask(const AdoptedParameter& parameter, const std::string& reason) {
  questions.push_back({fmt::format("--arg \"{}[SIZE,SIZE] {}\"", parameter.name, name(parameter.dtype)),
                       fmt::format("'{}' {}", parameter.name, reason)});
  why = questions.back().why;
  return false;
}

std::int64_t Attempt::elements_of(const AdoptedParameter& parameter, const Observation& observed) const {
  const auto arena = observed.arenas.find(parameter.name);
  if (arena == observed.arenas.end()) return 0;
  const std::int64_t end = std::max(arena->second.read_end, arena->second.write_end),
                     bytes = storage_bytes(parameter.dtype);
  return (end + bytes - 1) / bytes + (parameter.bordered ? left_out_before(parameter, arena->second) : 0);
}

Touched Attempt::touched_by_all(const AdoptedParameter& parameter) const {
  Touched touched;
  for (std::size_t i = 0; i < observed_.size(); ++i) {
    const ArenaSeen& seen = observed_[i].arenas.at(parameter.name);
    const std::int64_t elements = elements_of(parameter, observed_[i]),
                       bytes = elements * storage_bytes(parameter.dtype);
    touched.read = touched.read || seen.read > 0;
    touched.written = touched.written || seen.written > 0;
    touched.read_first = touched.read_first || (seen.read_first > 0 && seen.written > 0 && overlaps(seen));
    touched.whole = touched.whole && (seen.written == 0 || seen.written == bytes);
    touched.read_whole = touched.read_whole && (seen.read == 0 || seen.read == bytes);
    touched.atomic = touched.atomic || seen.atomic > 0;
    touched.any = touched.any || elements > 0;
    const auto [point, fill] = launches_[i];
    const Values values = all_values(kernel_, points_[point]);
    touched.all.push_back({values, elements});
    if (fill > 0) {
      touched.depends = touched.depends || elements != touched.points.back().elements;
      continue;
    }
    touched.points.push_back({values, elements});
    if (const std::int64_t border = left_out_before(parameter, seen); border > 0)
      touched.with_border.push_back({values, elements + border});
  }
  return touched;
}

void Attempt::refuse_unset_scratch(const AdoptedParameter& parameter, const Touched& touched) const {
  if (touched.read_first && !parameter.zeroed)
    throw bad_input(
        fmt::format("'{}' reads '{}' before any of its launches wrote there, and nothing sets it to zero; set it "
                    "with cudaMemset before the first launch",
                    kernel_.shown_name(), parameter.name));
}

/// Of an array whose shape a person says: is all of that written, wherever any is? The rest keeps what it held.
bool Attempt::is_filled_as_answered(const AdoptedParameter& parameter, const Touched& touched) const {
  const Fitted answered{parameter.shape, parameter.strides, 0};
  return std::ranges::all_of(touched.all, [&](const FitPoint& point) {
    return point.elements == 0 || span_of(answered, point.sizes).value_or(0) <= point.elements;
  });
}

bool Attempt::understand(const AdoptedParameter& parameter, ArrayFit& fit) {
  Touched touched = touched_by_all(parameter);
  fit.atomic = touched.atomic;
  if (!is_passed(parameter)) {
    fit.role = "input";
    fit.evidence = parameter.evidence;
    return true;
  }
  if (parameter.answered && !is_filled_as_answered(parameter, touched)) touched.whole = false;
  say_role(fit, touched);
  if (parameter.kind == Param::scratch) {
    refuse_unset_scratch(parameter, touched);
    fit.role = "scratch";
    fit.evidence = parameter.zeroed ? "made in the function, set to zero there"
                                    : "made in the function; written before it is read";
  }
  if (parameter.answered) return true;
  const auto allocated = allocation_of(kernel_, parameter, touched.all);
  if (allocated && (!touched.any || touched.depends)) return take_allocation(fit, *allocated);
  untouched = untouched || !touched.any;
  if (!touched.any) return ask(parameter, "was never read or written at the sizes that were tried");
  if (touched.depends) of_values.insert(parameter.name);
  if (touched.depends)
    return ask(parameter, "is touched as far as the values in memory say, which no formula of sizes can tell");
  const bool fits = fit_shape(touched, fit);
  if (allocated && !is_product(fit.fitted)) return take_allocation(fit, *allocated);
  if (!fits && !touched.written) {
    fit.fitted = fit_bound(touched.points, symbols_in_order(kernel_, subject_.build.source));
    fit.bound = fit.fitted.has_value();
    if (fit.bound) fit.evidence += "; never read further, and as far at some sizes";
    if (fit.bound) return true;
  }
  if (!fit.fitted)
    return ask(parameter, fmt::format("has {} elements at {}, and no formula of the sizes gives what was seen",
                                      touched.points[0].elements, text_of(points_[0])));
  if (!is_as_held_out(parameter, touched, *fit.fitted)) return false;
  fit.fitted = as_tensor(*fit.fitted, kernel_, parameter, touched.points);
  if (!fit.fitted->strides.empty() && parameter.kind == Param::pointer) {
    count_rows(parameter, touched, *fit.fitted);
    say_role(fit, touched);
  }
  const std::size_t held_out = touched.points.size() - fitted_points();
  seen_.held_out = static_cast<int>(held_out);
  if (!kernel_.sizes.empty())
    fit.evidence += fmt::format("; as large at {} sizes, and at {} others", fitted_points(), held_out);
  return true;
}

/// The simplest formula; where that is no product, with as much of a border at the end as at the beginning. The points
/// are then those with the border.
bool Attempt::fit_shape(Touched& touched, ArrayFit& fit) const {
  fit.fitted = fitted_to(touched.points);
  if (touched.with_border.size() == touched.points.size() && !is_product(fit.fitted))
    if (const auto whole_array = fitted_to(touched.with_border); is_product(whole_array)) {
      fit.fitted = whole_array;
      fit.bordered = true;
      fit.evidence += "; of its border as much is left out at its end as at its beginning";
      touched.points = touched.with_border;
    }
  return fit.fitted.has_value();
}

/// Points that formulas are made from; the others are held out.
std::size_t Attempt::fitted_points() const {
  return points_.size() > kHeldOut ? points_.size() - kHeldOut : points_.size();
}

bool Attempt::is_as_held_out(const AdoptedParameter& parameter, const Touched& touched, const Fitted& fitted) {
  for (std::size_t i = fitted_points(); i < touched.points.size(); ++i)
    if (span_of(fitted, touched.points[i].sizes) != touched.points[i].elements)
      return ask(parameter, fmt::format("has {} elements at {}, which is not what the other sizes said",
                                        touched.points[i].elements, text_of(points_[i])));
  return true;
}

/// Is all of the rows touched, without what lies between them?
void Attempt::count_rows(const AdoptedParameter& parameter, Touched& touched, const Fitted& fitted) const {
  touched.whole = touched.read_whole = true;
  for (std::size_t i = 0; i < observed_.size(); ++i) {
    const ArenaSeen& seen = observed_[i].arenas.at(parameter.name);
    const auto rows = bytes_of_rows(fitted, parameter, all_values(kernel_, points_[launches_[i].first]));
    touched.whole = touched.whole && (!rows || seen.written == 0 || seen.written == *rows);
    touched.read_whole = touched.read_whole && (!rows || seen.read == 0 || seen.read == *rows);
  }
}

std::optional<Fitted> Attempt::fitted_to(const std::vector<FitPoint>& points) const {
  std::vector<FormulaPtr> extra;
  for (const LaunchShape* launch : kernel_.launches())
    extra.insert(extra.end(), launch->grid.begin(), launch->grid.end());
  for (const auto& [name, follows] : derived_of(kernel_)) extra.push_back(follows);
  const std::vector<std::string> symbols = symbols_in_order(kernel_, subject_.build.source);
  return fit({points.begin(), points.begin() + static_cast<std::ptrdiff_t>(fitted_points())}, symbols, extra,
             likely_extents(subject_.build.source, symbols));
}

/// What is tuned changes no argument's shape: the problem stays the original's.
void Attempt::drop_tuned(AdoptedParameter& parameter) const {
  std::map<std::string, FormulaPtr> own;
  for (const auto& [name, values] : kernel_.tuned) own["p." + name] = number(static_cast<double>(values.front()));
  for (FormulaPtr& extent : parameter.shape) extent = with(extent, own);
  for (FormulaPtr& stride : parameter.strides) stride = with(stride, own);
}

void Attempt::keep() {
  for (std::size_t p = 0; p < kernel_.parameters.size(); ++p) {
    AdoptedParameter& parameter = kernel_.parameters[p];
    if (!is_array(parameter)) continue;
    const ArrayFit& fit = fits_[p];
    if (!parameter.answered && fit.fitted) {
      parameter.shape = fit.fitted->shape;
      parameter.strides = fit.fitted->strides;
      if (parameter.kind != Param::scratch) drop_tuned(parameter);
    }
    if (parameter.role.empty()) parameter.role = parameter.zeroed && fit.role != "output" ? "inout" : fit.role;
    parameter.atomic = fit.atomic;
    parameter.whole = fit.whole;
    parameter.bordered = fit.bordered;
    parameter.allocated = fit.allocated;
    parameter.bound = fit.bound;
    parameter.evidence = fit.evidence + (parameter.answered && is_passed(parameter) ? "; its shape: --arg" : "");
  }
}

bool Attempt::is_plain() const {
  return std::ranges::all_of(fits_, [](const ArrayFit& fit) { return !fit.fitted || fit.fitted->strides.empty(); });
}

std::vector<std::optional<std::int64_t>> Attempt::beyond_shapes(const Observation& observed,
                                                                const Values& point) const {
  std::vector<std::optional<std::int64_t>> beyond;
  for (const AdoptedParameter& parameter : kernel_.parameters) {
    if (!is_array(parameter) || is_said(parameter)) continue;
    const auto span = span_of({parameter.shape, parameter.strides, 0}, all_values(kernel_, point));
    beyond.push_back(span ? std::optional(elements_of(parameter, observed) - *span) : std::nullopt);
  }
  return beyond;
}

bool Attempt::reaches_further() {
  const Budget budget(seen_, kMostFarUp);
  const std::map<std::string, std::int64_t> tiles = tiles_of(kernel_);
  const bool slow = kernel_.most_threads < AdoptedKernel::kMostThreads / 4;
  const std::int64_t usual = slow ? 256 : 1024;
  for (const AdoptedSize& size : kernel_.sizes) {
    if (counts_blocks(kernel_, size)) continue;
    std::vector<Values> points;
    std::vector<ObservedLaunch> launches;
    const std::int64_t far = tiles.contains(size.symbol) ? std::max(usual, 2 * tiles.at(size.symbol) + 32) : usual;
    for (const std::int64_t top : {far, far - 24}) {
      Values point = small_point(kernel_);
      point[size.symbol] = std::max(size.step, top / size.step * size.step);
      if (!conditions_hold(kernel_, point)) continue;
      launches.push_back(launch_at(kernel_, subject_.entry, point, 0, false));
      points.push_back(std::move(point));
    }
    const std::vector<Observation> observed = look(launches);
    for (std::size_t i = 0; i < observed.size(); ++i)
      if (ended_well(observed[i]) &&
          std::ranges::any_of(beyond_shapes(observed[i], points[i]), [](auto elements) { return elements > 0; }))
        return true;
    if (budget.spent()) break;
  }
  return false;
}

bool Attempt::stays_inside(const std::vector<Values>& points) {
  std::vector<ObservedLaunch> launches;
  for (const Values& point : points)
    for (const unsigned fill : {0U, 1U, 2U}) launches.push_back(launch_at(kernel_, subject_.entry, point, fill, false));
  const std::vector<Observation> observed = look(launches);
  for (std::size_t i = 0; i < observed.size(); ++i) {
    if (!ended_well(observed[i])) return false;
    for (const auto& elements : beyond_shapes(observed[i], points[i / 3]))
      if (!elements || *elements > 0) return false;
  }
  return true;
}

bool Attempt::holds_at(const std::vector<Values>& points) {
  return holds_within(points, ObservedLaunch{}.deadline_s).value_or(false);
}

std::string Attempt::otherwise_at(const Values& point, double deadline_s) {
  std::vector<ObservedLaunch> launches{launch_at(kernel_, subject_.entry, point, 0, false)};
  launches.front().deadline_s = deadline_s;
  const Observation observed = look(launches).front();
  if (observed.endless) return "";
  if (!observed.failure.empty()) return observed.failure;
  if (!observed.findings.empty()) return observed.findings.front();
  const Values values = all_values(kernel_, point);
  for (const AdoptedParameter& parameter : kernel_.parameters) {
    if (!is_array(parameter) || is_said(parameter)) continue;
    const auto span = span_of({parameter.shape, parameter.strides, 0}, values);
    const std::int64_t elements = elements_of(parameter, observed);
    if (span != elements)
      return fmt::format("'{}' has {} elements, and {} by what smaller sizes said", parameter.name, elements,
                         span.value_or(0));
  }
  return "";
}

std::optional<bool> Attempt::holds_within(const std::vector<Values>& points, double deadline_s) {
  std::vector<ObservedLaunch> launches;
  for (const Values& point : points) {
    launches.push_back(launch_at(kernel_, subject_.entry, point, 0, false));
    launches.back().deadline_s = deadline_s;
  }
  const std::vector<Observation> observed = look(launches);
  if (std::ranges::any_of(observed, &Observation::endless)) return std::nullopt;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    if (!ended_well(observed[i])) return false;
    for (const auto& elements : beyond_shapes(observed[i], points[i]))
      if (elements != 0) return false;
  }
  return true;
}

}  // namespace harness::adopt
