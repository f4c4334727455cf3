#include "harness/script/plan/uses.h"

#include <algorithm>
#include <numeric>

namespace harness::script {
namespace {

constexpr std::int64_t kMostDivisible = 16;

ArgumentUse number_use(Dtype dtype, const Value& value) {
  ArgumentUse use{"scalar", std::string(name(dtype)), 1, {}};
  const auto* const whole = std::get_if<std::int64_t>(&value);
  if (whole == nullptr || is_floating(dtype)) return use;
  use.divisible = std::gcd(kMostDivisible, *whole);
  if (*whole == 1) use.value = 1;
  return use;
}

ArgumentUse pointer_use(const std::string& dtype, std::int64_t align, std::int64_t offset) {
  return {"pointer", dtype, std::gcd(kMostDivisible, std::gcd(align, offset)), {}};
}

ArgumentUse named_use(const NamedArgument& named, const Plan& plan, const Problem& problem) {
  const Argument* const declared = find_argument(problem, named.name);
  const std::string as = named.as ? std::string(name(*named.as)) : "";
  if (declared == nullptr) {
    const auto workspace = std::ranges::find(plan.workspaces, named.name, &Workspace::name);
    return pointer_use(as, workspace == plan.workspaces.end() ? 1 : workspace->align, named.offset);
  }
  if (declared->kind == ArgumentKind::structure) return {"structure", "", 1, {}};
  if (declared->kind == ArgumentKind::tensor_map) return {"tensor_map", "", 1, {}};
  if (declared->kind == ArgumentKind::scalar) return number_use(declared->dtype, declared->value.value_or(Value{0.0}));
  const std::string dtype = as.empty() ? std::string(name(declared->dtype)) : as;
  // No address: a launcher would compile the text without this argument.
  if (declared->absent) return {"null", dtype, 1, {}};
  return pointer_use(dtype, declared->align, named.offset);
}

ArgumentUse use_of(const LaunchArgument& argument, const Plan& plan, const Problem& problem) {
  if (const auto* scalar = std::get_if<ScalarArgument>(&argument)) return number_use(scalar->dtype, scalar->value);
  if (std::holds_alternative<TensorMap>(argument)) return {"tensor_map", "", 1, {}};
  return named_use(std::get<NamedArgument>(argument), plan, problem);
}

/// What holds of both.
ArgumentUse both(ArgumentUse a, const ArgumentUse& b) {
  a.divisible = std::gcd(a.divisible, b.divisible);
  if (a.value != b.value) a.value.reset();
  if (a.dtype != b.dtype) a.dtype.clear();
  return a;
}

}  // namespace

std::vector<EntryUse> uses_of(const Plan& plan, const Problem& problem) {
  std::vector<EntryUse> uses;
  for (const Step& step : plan.steps) {
    const auto* const launch = std::get_if<Launch>(&step);
    if (launch == nullptr) continue;
    EntryUse use{launch->entry, {}};
    for (const LaunchArgument& argument : launch->args) use.arguments.push_back(use_of(argument, plan, problem));
    const auto known = std::ranges::find(uses, launch->entry, &EntryUse::entry);
    if (known == uses.end()) {
      uses.push_back(std::move(use));
      continue;
    }
    for (std::size_t i = 0; i < std::min(use.arguments.size(), known->arguments.size()); ++i)
      known->arguments[i] = both(known->arguments[i], use.arguments[i]);
  }
  return uses;
}

}  // namespace harness::script
