#include "harness/adopt/plugin/match_problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "harness/core/error.h"

namespace harness::adopt {
namespace {

using AxisValues = std::map<std::string, std::int64_t>;

std::string lowered(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool takes(const AdoptedParameter& parameter, const ProblemTensor& tensor) {
  if (parameter.dtype != tensor.dtype) return false;
  return parameter.role == "inout" || (parameter.role == "output") == tensor.output;
}

std::string tensors_text(const Problem& problem) {
  std::vector<std::string> texts;
  for (const ProblemTensor& tensor : problem.tensors)
    texts.push_back(fmt::format("{} {} {} [{}]", tensor.output ? "output" : "input", tensor.name, name(tensor.dtype),
                                fmt::join(tensor.axes, ", ")));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// By name first; what is left in the order of both.
Matched matched_tensors(const AdoptedKernel& kernel, const Problem& problem) {
  Matched matched;
  std::set<std::string> names_taken;
  const auto match = [&](bool by_name) {
    for (const AdoptedParameter& parameter : kernel.parameters) {
      if (parameter.kind != Param::pointer || matched.contains(parameter.name)) continue;
      const auto own = std::ranges::find_if(problem.tensors, [&](const ProblemTensor& tensor) {
        return !names_taken.contains(tensor.name) && takes(parameter, tensor) &&
               (!by_name || lowered(tensor.name) == lowered(parameter.name));
      });
      if (own == problem.tensors.end()) continue;
      matched[parameter.name] = own->name;
      names_taken.insert(own->name);
    }
  };
  match(true);
  match(false);
  for (const AdoptedParameter& parameter : kernel.parameters)
    if (parameter.kind == Param::pointer && !matched.contains(parameter.name))
      throw bad_input(fmt::format("'{}' ({} {}) of {} is no tensor of the definition '{}', which has: {}",
                                  parameter.name, parameter.role, name(parameter.dtype), kernel.declaration.name,
                                  problem.name, tensors_text(problem)));
  for (const ProblemTensor& tensor : problem.tensors)
    if (tensor.output && !names_taken.contains(tensor.name))
      throw bad_input(fmt::format("{} writes no '{}', which the definition '{}' has as an output",
                                  kernel.declaration.name, tensor.name, problem.name));
  return matched;
}

const ProblemTensor& tensor_of(const Problem& problem, const std::string& name) {
  return *std::ranges::find(problem.tensors, name, &ProblemTensor::name);
}

/// An axis, or the product of neighbouring ones: what a kernel may be passed as a size.
using AxisProduct = std::vector<std::string>;

std::int64_t value_of(const AxisProduct& product, const AxisValues& axes) {
  std::int64_t value = 1;
  for (const std::string& axis : product) value *= axes.at(axis);
  return value;
}

bool is_extent(const AdoptedKernel& kernel, const std::string& symbol) {
  return std::ranges::any_of(kernel.parameters, [&](const AdoptedParameter& parameter) {
    return std::ranges::any_of(parameter.shape, [&](const FormulaPtr& e) { return symbols_of(*e).contains(symbol); });
  });
}

/// Candidates for a size, those of its name first. One that no array's length tells is an axis by its name or none.
std::vector<AxisProduct> products_for(const AdoptedSize& size, const AdoptedKernel& kernel, const Problem& problem) {
  std::vector<AxisProduct> all;
  if (!is_extent(kernel, size.symbol)) {
    for (const auto& [axis, value] : problem.axes)
      if (lowered(axis) == lowered(size.name)) return {{axis}};
    return {{}};
  }
  for (const auto& [axis, value] : problem.axes) all.push_back({axis});
  for (const ProblemTensor& tensor : problem.tensors)
    for (std::size_t from = 0; from < tensor.axes.size(); ++from)
      for (std::size_t to = from + 2; to <= tensor.axes.size(); ++to) {
        AxisProduct product(tensor.axes.begin() + static_cast<std::ptrdiff_t>(from),
                            tensor.axes.begin() + static_cast<std::ptrdiff_t>(to));
        if (std::ranges::find(all, product) == all.end()) all.push_back(std::move(product));
      }
  std::ranges::stable_partition(all, [&](const AxisProduct& product) {
    return product.size() == 1 && lowered(product.front()) == lowered(size.name);
  });
  return all;
}

/// Three points of the variable axes that have nothing in common.
std::vector<AxisValues> test_points(const Problem& problem) {
  constexpr std::int64_t kPrimes[3][6] = {{3, 7, 11, 19, 29, 41}, {5, 13, 23, 31, 43, 53}, {17, 2, 37, 47, 59, 61}};
  std::vector<AxisValues> points(3);
  for (std::size_t p = 0; p < points.size(); ++p) {
    std::size_t place = 0;
    for (const auto& [axis, value] : problem.axes) points[p][axis] = value ? *value : kPrimes[p][place++ % 6];
  }
  return points;
}

class Binding {
 public:
  Binding(const AdoptedKernel& kernel, const Problem& problem, const Matched& matched)
      : kernel_(kernel), problem_(problem), matched_(matched), points_(test_points(problem)) {
    for (const AdoptedSize& size : kernel.sizes) choices_.push_back(products_for(size, kernel, problem));
  }

  /// What each size is; nothing: no choice fits.
  std::optional<std::vector<AxisProduct>> find() {
    chosen_.clear();
    return place(0) ? std::optional(chosen_) : std::nullopt;
  }

 private:
  bool place(std::size_t size) {
    if (size == choices_.size()) return fits();
    for (const AxisProduct& product : choices_[size]) {
      chosen_.push_back(product);
      if (++tried_ < kMostTried && place(size + 1)) return true;
      chosen_.pop_back();
    }
    return false;
  }

  bool fits() const {
    return std::ranges::all_of(points_, [&](const AxisValues& axes) {
      Values values = kernel_.settings(kernel_.dtypes.front());
      for (std::size_t i = 0; i < chosen_.size(); ++i) values[kernel_.sizes[i].symbol] = value_of(chosen_[i], axes);
      return std::ranges::all_of(kernel_.parameters, [&](const AdoptedParameter& parameter) {
        if (parameter.kind != Param::pointer) return true;
        std::int64_t count = 1;
        for (const FormulaPtr& extent : parameter.shape) count *= evaluate(*extent, values).value_or(-1);
        return count == value_of(tensor_of(problem_, matched_.at(parameter.name)).axes, axes);
      });
    });
  }

  static constexpr int kMostTried = 200000;
  const AdoptedKernel& kernel_;
  const Problem& problem_;
  const Matched& matched_;
  std::vector<AxisValues> points_;
  std::vector<std::vector<AxisProduct>> choices_;
  std::vector<AxisProduct> chosen_;
  int tried_ = 0;
};

AxisValues all_axes(const Problem& problem, const AxisValues& variable) {
  AxisValues all = variable;
  for (const auto& [axis, value] : problem.axes) {
    if (value) all[axis] = *value;
    else if (!all.contains(axis))
      throw bad_input(
          fmt::format("a workload of the definition '{}' has no value for the axis '{}'", problem.name, axis));
  }
  return all;
}

/// Whether a size may be called so: workloads have its name beside others, and the reference beside the arguments'.
bool is_free(const AdoptedKernel& kernel, const std::string& name, std::size_t size) {
  static const std::set<std::string> kTaken{"name", "sets", "devices", "weight", "dtype", "where"};
  const bool plain = std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; }) &&
                     std::isdigit(static_cast<unsigned char>(name.front())) == 0;
  if (!plain || kTaken.contains(name) || kernel.tuned.contains(name)) return false;
  for (const AdoptedParameter& parameter : kernel.parameters)
    if (parameter.name == name && parameter.name != kernel.sizes[size].symbol) return false;
  for (std::size_t i = 0; i < kernel.sizes.size(); ++i)
    if (i != size && (kernel.sizes[i].name == name || kernel.sizes[i].symbol == name)) return false;
  return true;
}

void give_values(AdoptedKernel& kernel, const Problem& problem, const std::vector<AxisProduct>& bound) {
  for (std::size_t i = 0; i < kernel.sizes.size(); ++i) {
    AdoptedSize& size = kernel.sizes[i];
    if (bound[i].empty()) continue;
    const std::string of = fmt::format("{}", fmt::join(bound[i], " * "));
    size.evidence = fmt::format("'{}' of the definition {}", of, problem.name);
    if (bound[i].size() == 1 && is_free(kernel, bound[i].front(), i)) size.name = bound[i].front();
    size.values.clear();
    for (const AxisValues& workload : problem.workloads)
      size.values.push_back(value_of(bound[i], all_axes(problem, workload)));
    const bool constant = std::ranges::all_of(bound[i], [&](const std::string& axis) {
      return std::ranges::find(problem.axes, axis, &std::pair<std::string, std::optional<std::int64_t>>::first)
          ->second.has_value();
    });
    if (constant) size.limited = true;
    if (constant) size.low = size.high = value_of(bound[i], all_axes(problem, test_points(problem).front()));
    else if (!size.values.empty()) size.high = std::max(size.high, std::ranges::max(size.values));
    if (constant) size.step = 1;
  }
}

/// The tensor's axes as formulas; nothing: some axis is no size of the kernel.
std::optional<std::vector<FormulaPtr>> shape_of(const ProblemTensor& tensor, const AdoptedKernel& kernel,
                                                const Problem& problem, const std::vector<AxisProduct>& bound) {
  std::vector<FormulaPtr> shape;
  for (const std::string& axis : tensor.axes) {
    const auto product = std::ranges::find(bound, AxisProduct{axis});
    const auto defined =
        std::ranges::find(problem.axes, axis, &std::pair<std::string, std::optional<std::int64_t>>::first);
    if (product != bound.end())
      shape.push_back(symbol(kernel.sizes[static_cast<std::size_t>(product - bound.begin())].symbol));
    else if (defined->second) shape.push_back(number(static_cast<double>(*defined->second)));
    else return std::nullopt;
  }
  return shape;
}

}  // namespace

Matched match_problem(AdoptedKernel& kernel, const Problem& problem) {
  const Matched matched = matched_tensors(kernel, problem);
  const auto bound = Binding(kernel, problem, matched).find();
  if (!bound) {
    std::vector<std::string> names_seen;
    for (const AdoptedParameter& parameter : kernel.parameters) {
      if (parameter.kind != Param::pointer) continue;
      std::vector<std::string> extents;
      for (const FormulaPtr& extent : parameter.shape)
        extents.push_back(as_lua(*extent, [](const std::string& name) { return name; }));
      names_seen.push_back(
          fmt::format("{}[{}] as '{}'", parameter.name, fmt::join(extents, ", "), matched.at(parameter.name)));
    }
    throw bad_input(fmt::format("{} does not have the shapes of the definition '{}' ({}): it was seen to use {}",
                                kernel.declaration.name, problem.name, tensors_text(problem),
                                fmt::join(names_seen, ", ")));
  }
  give_values(kernel, problem, *bound);
  for (AdoptedParameter& parameter : kernel.parameters) {
    if (parameter.kind == Param::pointer) {
      const ProblemTensor& tensor = tensor_of(problem, matched.at(parameter.name));
      if (auto shape = shape_of(tensor, kernel, problem, *bound); shape && parameter.strides.empty())
        parameter.shape = *shape;
      parameter.evidence += fmt::format("; '{}' of the definition {}", tensor.name, problem.name);
    } else if (const auto value = problem.scalars.find(parameter.name); value != problem.scalars.end()) {
      parameter.value = value->second;
      parameter.evidence = fmt::format("the workloads of the definition {}", problem.name);
    }
  }
  return matched;
}

}  // namespace harness::adopt
