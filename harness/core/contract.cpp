#include "harness/core/contract.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "harness/core/json_fields.h"

namespace harness {

const Argument* find_argument(const Problem& problem, const std::string& name) {
  const auto found = std::ranges::find(problem.arguments, name, &Argument::name);
  return found == problem.arguments.end() ? nullptr : &*found;
}

bool is_tensor(ArgumentKind kind) {
  return kind == ArgumentKind::input || is_written(kind);
}

bool is_written(ArgumentKind kind) {
  return kind == ArgumentKind::output || kind == ArgumentKind::inout;
}

std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * std::max<std::int64_t>(shape[d], 1);
  return strides;
}

std::int64_t span_elements(const Argument& a) {
  if (a.strides.empty()) return count_elements(a);  // contiguous
  std::int64_t span = 1;
  for (std::size_t d = 0; d < a.shape.size(); ++d) {
    if (a.shape[d] == 0) return 0;
    span += (a.shape[d] - 1) * a.strides[d];
  }
  return span;
}

std::int64_t count_elements(const Argument& a) {
  std::int64_t count = 1;
  for (const std::int64_t extent : a.shape) count *= extent;
  return count;
}

std::int64_t fewest_output_elements(const Problem& problem) {
  std::int64_t fewest = INT64_MAX;
  for (const Argument& a : problem.arguments)
    if (is_written(a.kind) && !a.absent) fewest = std::min(fewest, count_elements(a));
  return fewest;
}

std::int64_t written_bytes(const Problem& problem) {
  std::int64_t bytes = 0;
  for (const Argument& a : problem.arguments)
    if (is_written(a.kind) && !a.absent)
      bytes += count_elements(a) * storage_bytes(a.dtype) / elements_per_unit(a.dtype);
  return bytes;
}

std::string in_words(const ExcludedForms& forms) {
  if (forms.except.empty()) return "";
  return fmt::format("not tried, by contract: {} ({})", fmt::join(forms.except, ", "), forms.because);
}

std::string in_words(const Reference& reference) {
  return reference.weak.empty() ? "" : "weak reference: " + reference.weak;
}

double amount_of(const Work& work) {
  double amount = work.bytes + 2 * work.exps + work.turns;
  for (const auto& [type, flops] : work.flops) amount += flops;
  return amount;
}

HARNESS_JSON_DEFAULTS(Workload, name, sets, devices, values, weight)
HARNESS_JSON_DEFAULTS(Generator, kind, options)
HARNESS_JSON_DEFAULTS(Compare, kind, tolerance, options)
HARNESS_JSON_DEFAULTS(Field, name, dtype, value, offset)
HARNESS_JSON_DEFAULTS(ValueDomain, lo, hi, infinities, nan, denormals, ties, sorted)
HARNESS_JSON_DEFAULTS(Argument, name, kind, dtype, shape, strides, align, gen, compare, accuracy, value, fields,
                      struct_bytes, of, offset, offsets, map, absent, valid_rows, outside, values)
HARNESS_JSON_DEFAULTS(ReferenceLaunch, entry, grid, block, shared)
HARNESS_JSON_DEFAULTS(ReferenceScratch, name, bytes, zeroed)
HARNESS_JSON(ConstantTable, symbol, from)
HARNESS_JSON_DEFAULTS(Reference, source, entry, sizes, size_values, threads, golden, numbers, grid, block, shared,
                      further, scratch, constants, weak, digest, included)
HARNESS_ENUM_TABLE(ReferenceNumbers, "kind of reference",
                   {{ReferenceNumbers::exact, "exact"},
                    {ReferenceNumbers::wide, "wide"},
                    {ReferenceNumbers::own, "own"}})
void to_json(json& to, const Work& value) {
  to = {{"bytes", value.bytes}, {"flops", value.flops}, {"exps", value.exps}};
  // Few contracts have these, and the identity of others stays.
  if (value.turns != 0) to["turns"] = value.turns;
  if (value.dependent != 0) to["dependent"] = value.dependent;
}
void from_json(const json& from, Work& value) {
  value.bytes = from.value("bytes", 0.0);
  value.flops = from.value("flops", std::map<std::string, double>());
  value.exps = from.value("exps", 0.0);
  value.turns = from.value("turns", 0.0);
  value.dependent = from.value("dependent", 0.0);
}
HARNESS_JSON_DEFAULTS(Problem, kernel, contract_hash, workload, arguments, reference, work, deterministic,
                      batch_invariant, forms, policy, accept)
HARNESS_JSON_DEFAULTS(ExcludedForms, except, because)
Accuracy accuracy_of(const Problem& problem, const Argument& output) {
  if (output.accuracy) return *output.accuracy;
  Accuracy inferred;
  if (output.dtype == Dtype::f64) inferred.accumulate = Dtype::f64;
  const auto elements = static_cast<double>(std::max<std::int64_t>(1, count_elements(output)));
  double operations = problem.work.exps, longest_row = 1, inputs = 0;
  for (const auto& [type, flops] : problem.work.flops) operations += flops;
  for (const Argument& a : problem.arguments) {
    if (!a.gen || a.absent || !is_floating(a.dtype)) continue;
    inputs = std::max(inputs, static_cast<double>(count_elements(a)));
    if (!a.shape.empty()) longest_row = std::max(longest_row, static_cast<double>(a.shape.back()));
  }
  double terms = std::max(operations / elements, inputs / elements);
  if (operations / elements >= 2) terms = std::max(terms, longest_row);
  inferred.sum = static_cast<std::int64_t>(std::max(1.0, std::ceil(terms)));
  return inferred;
}

HARNESS_ENUM_TABLE(ArgumentKind, "kind of argument",
                   {{ArgumentKind::input, "input"},
                    {ArgumentKind::output, "output"},
                    {ArgumentKind::inout, "inout"},
                    {ArgumentKind::scalar, "scalar"},
                    {ArgumentKind::structure, "structure"},
                    {ArgumentKind::view, "view"},
                    {ArgumentKind::pointers, "pointers"},
                    {ArgumentKind::tensor_map, "tensor_map"},
                    {ArgumentKind::workspace, "workspace"}})

}  // namespace harness
