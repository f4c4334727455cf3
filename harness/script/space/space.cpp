#include "harness/script/space/space.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/controls.h"
#include "harness/core/suggest.h"
#include "harness/script/sandbox/random.h"
#include "harness/script/space/blame.h"
#include "harness/script/space/constraint.h"
#include "harness/script/space/solver.h"

namespace harness::script {
namespace {

constexpr std::size_t kMostListed = 2'000'000;
constexpr std::size_t kMostAsks = 8'000'000;  // about 10 s
constexpr std::size_t kSampled = 64;
constexpr std::uint64_t kSampleSeed = 1;

using Cells = SpaceSolver::Cells;

SpaceSolver::Lists value_lists(const VariantManifest& variant) {
  SpaceSolver::Lists lists;
  for (const Parameter& parameter : variant.info().parameters) lists.push_back(parameter.values);
  return lists;
}

class SolverOracle : public SpaceOracle {
 public:
  explicit SolverOracle(std::unique_ptr<SpaceSolver> solver) : solver_(std::move(solver)) {}
  bool allows(const Cells& point) override { return solver_->allows(point); }
  std::optional<Cells> draw(const std::function<std::uint64_t(std::uint64_t)>& below) override {
    return solver_->draw(below);
  }

 private:
  std::unique_ptr<SpaceSolver> solver_;
};

/// `lists` with the given parameters held to their values.
SpaceSolver::Lists hold(SpaceSolver::Lists lists, const VariantManifest& variant, const Config& given) {
  for (const auto& [name, value] : given) {
    const Parameter& parameter = variant.parameter(name);
    lists[static_cast<std::size_t>(&parameter - variant.info().parameters.data())] = {
        variant.listed_value(name, value)};
  }
  return lists;
}

Config configuration_of(const VariantManifest& variant, const SpaceSolver::Lists& lists, const Cells& cells) {
  Config config;
  for (std::size_t p = 0; p < cells.size(); ++p) config[variant.info().parameters[p].name] = lists[p][cells[p]];
  return config;
}

/// The first of the author's starts that `valid` allows, completed by first values, with `given` held fixed; without
/// one the first configuration of all.
std::optional<Config> begin_with(VariantManifest& variant, const Workload& workload, const DeviceInfo& device,
                                 const Config& given) {
  std::vector<Config> attempts = variant.starts(workload);
  attempts.emplace_back();
  for (Config& attempt : attempts) {
    for (const auto& [name, value] : given) attempt[name] = value;
    const SpaceSolver::Lists lists = hold(value_lists(variant), variant, attempt);
    if (const auto found = SpaceSolver(variant, workload, device, lists).first())
      return configuration_of(variant, lists, *found);
  }
  return std::nullopt;
}

/// The author's other starts that `valid` allows, in order; all as begin_with completes them.
std::vector<Config> further_starts(VariantManifest& variant, const Workload& workload, const DeviceInfo& device) {
  std::vector<Config> further;
  for (const Config& attempt : variant.starts(workload)) {
    const SpaceSolver::Lists lists = hold(value_lists(variant), variant, attempt);
    if (const auto found = SpaceSolver(variant, workload, device, lists).first())
      further.push_back(configuration_of(variant, lists, *found));
  }
  if (!further.empty()) further.erase(further.begin());
  return further;
}

Cells cells_of(const VariantManifest& variant, const Config& config) {
  Cells cells;
  for (const Parameter& parameter : variant.info().parameters)
    cells.push_back(static_cast<std::uint16_t>(place_of(parameter, config.at(parameter.name))));
  return cells;
}

/// A few points stand for the space: the first one, and draws that are the same every time.
void sample_points(Space& space, SpaceSolver& solver, const Cells& first) {
  Random random(kSampleSeed);
  const auto below = [&](std::uint64_t count) { return random.upto(count - 1); };
  space.points.push_back(first);
  for (std::size_t i = 1; i < kSampled; ++i) {
    const auto drawn = solver.draw(below);
    if (drawn && std::ranges::find(space.points, *drawn) == space.points.end()) space.points.push_back(*drawn);
  }
}

/// Those of `further` that are neither the first start nor one before them; a space that is too large to list gets them
/// among its points.
void add_later_starts(Space& space, const VariantManifest& variant, const std::vector<Config>& further) {
  for (const Config& config : further) {
    const Cells cells = cells_of(variant, config);
    auto at = std::ranges::find(space.points, cells);
    if (at == space.points.end() && space.listed()) continue;
    if (at == space.points.end()) at = space.points.insert(at, cells);
    const auto point = static_cast<std::size_t>(at - space.points.begin());
    if (point != space.start && std::ranges::find(space.later_starts, point) == space.later_starts.end())
      space.later_starts.push_back(point);
  }
}

}  // namespace

Space enumerate_space(VariantManifest& variant, const Workload& workload, const DeviceInfo& device) {
  Space space;
  space.parameters = variant.info().parameters;
  auto solver = std::make_unique<SpaceSolver>(variant, workload, device, value_lists(variant));
  auto listed = solver->list(kMostListed, kMostAsks);
  if (listed) {
    space.points = std::move(*listed);
    if (!space.points.empty() && variant.has_starts()) {
      const Cells start = cells_of(variant, *begin_with(variant, workload, device, {}));
      space.start = static_cast<std::size_t>(std::ranges::lower_bound(space.points, start) - space.points.begin());
      space.authored = true;
    }
  } else if (const auto start = begin_with(variant, workload, device, {})) {
    sample_points(space, *solver, cells_of(variant, *start));
    space.rest = std::make_shared<SolverOracle>(std::move(solver));
  }
  if (!space.points.empty()) add_later_starts(space, variant, further_starts(variant, workload, device));
  return space;
}

bool has_configuration(VariantManifest& variant, const Workload& workload, const DeviceInfo& device) {
  return begin_with(variant, workload, device, {}).has_value();
}

Config first_configuration(VariantManifest& variant, const Workload& workload, const DeviceInfo& device,
                           const Config& given) {
  if (const auto found = begin_with(variant, workload, device, given)) return *found;
  Constraint constraint(variant, workload, device);
  if (given.empty()) throw impossible_space(variant, workload, constraint);
  throw variant.manifest().error(
      constraint.line(),
      fmt::format("no configuration with {} satisfies the constraint of variant '{}' on workload '{}'; "
                  "change or leave out a value",
                  to_text(given), variant.info().name, workload.name));
}

void check_configuration(VariantManifest& variant, const Workload& workload, const DeviceInfo& device,
                         const Config& config) {
  controls_of(config);
  for (const auto& [name, value] : without_controls(config)) variant.listed_value(name, value);
  std::vector<Value> values;
  for (const Parameter& parameter : variant.info().parameters) {
    const auto found = config.find(parameter.name);
    if (found == config.end())
      throw bad_input(fmt::format("{}: the configuration misses parameter '{}'", variant.info().file, parameter.name));
    values.push_back(variant.listed_value(parameter.name, found->second));
  }
  Constraint constraint(variant, workload, device);
  if (constraint.allows(values)) return;
  throw variant.manifest().error(
      constraint.line(), fmt::format("the constraint of variant '{}' refuses {} on workload '{}'", variant.info().name,
                                     to_text(config), workload.name));
}

}  // namespace harness::script
