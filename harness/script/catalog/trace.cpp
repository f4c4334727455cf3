#include "harness/script/catalog/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>

#include "harness/script/catalog/trace_compare.h"
#include "harness/script/space/constraint.h"
#include "harness/script/space/space.h"

namespace harness::script {
namespace {

constexpr int kRandomPoints = 20;
constexpr std::size_t kConfigurations = 8;
constexpr std::size_t kMostCombinations = std::size_t{1} << 40;
constexpr std::uint64_t kSeed = 20;  // fixed: a check says the same every time

bool is_number(const Value& value) {
  return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
}

using Values = std::map<std::string, Value>;

Facts plain(const Values& values) {
  return {values.begin(), values.end()};
}

void add_symbols(std::map<std::string, Scalar>& symbols, const Values& values, const std::string& prefix) {
  for (const auto& [name, value] : values) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) symbols[prefix + "." + name] = *whole;
    else if (const auto* real = std::get_if<double>(&value)) symbols[prefix + "." + name] = *real;
  }
}

/// What decides the control flow of a traced function: the flags and types of a workload.
Values flags_of(const Workload& workload) {
  Values flags;
  for (const auto& [name, value] : workload.values) {
    if (!is_number(value)) flags[name] = value;
  }
  return flags;
}

/// A device on which every quantity is another one, so that a choice made on a device's number shows.
DeviceInfo other_device(DeviceInfo device) {
  device.compute_capability += 10;
  device.multiprocessors = device.multiprocessors * 2 + 1;
  device.max_threads_per_block /= 2;
  device.max_shared_bytes *= 2;
  device.l2_bytes = device.l2_bytes * 3 + 1;
  device.memory_bytes = device.memory_bytes * 3 + 1;
  device.predicts.clear();  // else it would be told the GPU's numbers once more
  return device;
}

/// One point at which traced and plain results are compared, as the functions see it.
struct Point {
  Point(VariantManifest& variant, Workload given, const DeviceInfo& on)
      : workload(std::move(given)),
        w(variant.manifest(), "workload", plain(workload.values)),
        d(variant.manifest(), "device", plain(device_values(on))),
        constraint(variant, workload, on) {
    add_symbols(symbols, workload.values, "w");
    add_symbols(symbols, device_values(on), "device");
  }
  Workload workload;
  FactsTable w, d;
  std::map<std::string, Scalar> symbols;
  Constraint constraint;
};
using Points = std::deque<Point>;

class Check {
 public:
  Check(KernelManifest& kernel, VariantManifest& variant, const DeviceInfo& device)
      : kernel_(kernel), variant_(variant), device_(device) {}

  std::vector<std::string> run() {
    std::set<Values> seen;
    for (const Workload& workload : kernel_.workloads()) {
      if (seen.insert(flags_of(workload)).second) check_group(workload);
    }
    return problems_;
  }

 private:
  /// All workloads with the flags and types of `first`, and random points with them too.
  Points points_like(const Workload& first) {
    const Values flags = flags_of(first);
    Points points;
    for (const Workload& workload : kernel_.workloads()) {
      if (flags_of(workload) != flags) continue;
      points.emplace_back(variant_, workload, device_);
      points.emplace_back(variant_, workload, other_device(device_));
    }
    for (int i = 0; i < kRandomPoints; ++i) {
      Workload random = kernel_.random_workload(first, kSeed + static_cast<std::uint64_t>(i));
      for (const auto& [name, value] : flags) random.values[name] = value;
      random.name = "a random point (" + to_text(Config(random.values)) + ")";
      points.emplace_back(variant_, std::move(random), device_);
    }
    return points;
  }

  void check_group(const Workload& first) {
    Points points = points_like(first);
    for (const Config& config : sample_all()) check_function("valid", config, points);
    for (const Config& config : sample_allowed(first)) {
      check_function("workspaces", config, points);
      check_function("steps", config, points);
    }
  }

  /// Some configurations spread over all combinations of values, allowed or not.
  std::vector<Config> sample_all() const {
    const auto& parameters = variant_.info().parameters;
    std::size_t total = 1;
    for (const Parameter& parameter : parameters) total = std::min(total * parameter.values.size(), kMostCombinations);
    const std::size_t count = std::min(2 * kConfigurations, total);
    std::vector<Config> configs;
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t point = (i * (total / count) + i) % total;  // + i: not always the same value of the first parameter
      Config config;
      for (const Parameter& parameter : parameters) {
        config[parameter.name] = parameter.values[point % parameter.values.size()];
        point /= parameter.values.size();
      }
      configs.push_back(std::move(config));
    }
    return configs;
  }

  /// Some configurations spread over those allowed on `first`; none if the space is impossible, which is told
  /// elsewhere.
  std::vector<Config> sample_allowed(const Workload& first) {
    std::vector<Config> configs;
    try {
      const Space space = enumerate_space(variant_, first, device_);
      const std::size_t count = std::min(kConfigurations, space.points.size());
      for (std::size_t i = 0; i < count; ++i) configs.push_back(configuration(space, i * space.points.size() / count));
    } catch (const Error&) {
      return {};
    }
    return configs;
  }

  void check_function(const std::string& name, const Config& config, Points& points) {
    const FunctionRef* function = variant_.reader().function(name);
    if (function == nullptr || failed_.contains(name)) return;
    try {
      const Node traced = trace_function(variant_, name, config, points.front().workload, device_);
      for (Point& point : points) {
        if (name != "valid" && !allowed(config, point)) continue;
        compare(name, *function, config, point, traced);
        if (failed_.contains(name)) return;
      }
    } catch (const Error& failure) {
      failed_.insert(name);
      problems_.push_back(failure.what());
    }
  }

  static bool allowed(const Config& config, Point& point) {
    std::vector<Value> values;
    for (const auto& [name, value] : config) values.push_back(value);  // sorted by name, as parameters are
    return point.constraint.allows(values);
  }

  void compare(const std::string& name, const FunctionRef& function, const Config& config, const Point& point,
               const Node& traced) {
    const FactsTable p(variant_.manifest(), "parameter list", plain(config));
    const auto found = difference(traced, variant_.manifest().call(function, {&p, &point.w, &point.d}), point.symbols);
    if (!found) return;
    failed_.insert(name);
    problems_.push_back(
        variant_.manifest()
            .error(function.line,
                   fmt::format("{} cannot be traced: with {} on {} {}; choose with select(condition, a, b) and eq, lt, "
                               "le, not with if, ==, and, or, not",
                               name, config.empty() ? "no parameters" : to_text(config), point.workload.name, *found))
            .what());
  }

  KernelManifest& kernel_;
  VariantManifest& variant_;
  const DeviceInfo& device_;
  std::set<std::string> failed_;
  std::vector<std::string> problems_;
};

}  // namespace

Facts symbolic_facts(const std::map<std::string, Value>& values, const std::string& prefix) {
  Facts facts;
  for (const auto& [name, value] : values) {
    if (is_number(value)) facts[name] = make_symbol(prefix + "." + name);
    else facts[name] = value;
  }
  return facts;
}

Node trace_function(VariantManifest& variant, const std::string& function, const Config& config,
                    const Workload& workload, const DeviceInfo& device) {
  const FunctionRef* found = variant.reader().function(function);
  if (found == nullptr) throw variant.reader().error("has no function '" + function + "' to trace");
  const FactsTable p(variant.manifest(), "parameter list", plain(config));
  const FactsTable w(variant.manifest(), "workload", symbolic_facts(workload.values, "w"));
  const FactsTable d(variant.manifest(), "device", symbolic_facts(device_values(device), "device"));
  return variant.manifest().call(*found, {&p, &w, &d});
}

std::vector<std::string> trace_problems(KernelManifest& kernel, VariantManifest& variant, const DeviceInfo& device) {
  return Check(kernel, variant, device).run();
}

}  // namespace harness::script
