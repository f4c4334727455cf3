#include "harness/judge/launch_judgement.h"

#include <algorithm>
#include <cmath>

#include "harness/core/gates.h"
#include "harness/judge/comparison_gates.h"
#include "harness/judge/elements.h"
#include "harness/judge/guards.h"
#include "harness/judge/tolerance.h"
#include "kernels/include/harness/random.cuh"

namespace harness::judge {
namespace {

constexpr std::int64_t kSampled = 64;         // elements of an output that are looked at one by one
constexpr std::int64_t kMostRows = 16 << 20;  // a device keeps numbers of each

std::optional<ComparedAs> compared_as(const Comparison& comparison) {
  if (comparison.kind() == Comparison::Kind::relative) return ComparedAs::relative;
  if (comparison.kind() == Comparison::Kind::ulp) return ComparedAs::ulp;
  if (comparison.kind() == Comparison::Kind::quantized) return ComparedAs::quantized;
  if (comparison.kind_name() == "exact") return ComparedAs::exact;
  return std::nullopt;
}

/// False: these lengths are not for a device.
bool describe_valid_rows(const Problem& problem, const ImageLayout& layout, const Argument& a, ComparedOutput& output) {
  if (a.valid_rows.empty()) return true;
  const Argument* const lengths = find_argument(problem, a.valid_rows);
  if (lengths == nullptr || !is_drawn(*lengths) || is_floating(lengths->dtype) || !Indexer(*lengths).dense() ||
      a.shape.size() < 2 || count_elements(*lengths) < a.shape[0])
    return false;
  const std::int64_t outer = count_elements(a) / a.shape[0];
  output.valid =
      ValidRows{find_buffer(layout, lengths->name)->offset, lengths->dtype, outer, outer / a.shape[1], a.shape[1]};
  return true;
}

std::vector<ComparedOutput::Place> sample(const Indexer& indexer, std::uint64_t seed) {
  std::vector<ComparedOutput::Place> places;
  for (std::uint64_t i = 0; i < kSampled; ++i) {
    const random::Words bits = random::words(seed, random::stream_of(":sampled"), i);
    const auto logical = static_cast<std::int64_t>(random::below(bits, static_cast<std::uint64_t>(indexer.count())));
    places.push_back({indexer.offset(logical), logical / indexer.row_length()});
  }
  return places;
}

std::optional<ComparedOutput> describe_output(const Problem& problem, const ImageLayout& layout, const Argument& a,
                                              const ReferenceJob& reference, std::uint64_t seed) {
  const Comparison comparison(a);
  const Indexer& indexer = comparison.indexer();
  const auto as = compared_as(comparison);
  const bool fits = elements_per_unit(a.dtype) == 1 && !indexer.overlapping() && indexer.count() > 0 &&
                    indexer.rows() <= kMostRows && a.shape.size() <= kMostComparedDimensions;
  if (!as || !fits) return std::nullopt;
  const ImageBuffer& buffer = *find_buffer(layout, a.name);
  ComparedOutput output{.as = *as,
                        .dtype = a.dtype,
                        .at = buffer.offset,
                        .bytes = buffer.bytes,
                        .reference_at = find_buffer(reference.executable.layout, result_name(a))->offset,
                        .extents = a.shape,
                        .strides = a.strides.empty() ? contiguous_strides(a.shape) : a.strides,
                        .tolerance = comparison.tolerance(),
                        .steps = comparison.steps(),
                        .row_factor = local_factors(a.dtype, indexer.row_length()).row,
                        .valid = {},
                        .padded = !indexer.dense(),
                        .sampled = {}};
  if (output.extents.empty()) output.extents = output.strides = {1};
  if (!describe_valid_rows(problem, layout, a, output)) return std::nullopt;
  if (!output.valid) output.sampled = sample(indexer, seed);
  return output;
}

/// Everything but outputs and what a launch may leave dirty: workspaces.
std::vector<ByteRange> kept_ranges(const Problem& problem, const ImageLayout& layout) {
  std::vector<ByteRange> kept;
  std::int64_t begin = 0;
  const auto keep_until = [&](std::int64_t end) {
    if (begin < end) kept.push_back({begin, end});
  };
  for (const ImageBuffer& buffer : layout.buffers) {
    const Argument* const a = find_argument(problem, buffer.name);
    if (a != nullptr && (a->kind == ArgumentKind::view || a->kind == ArgumentKind::input)) continue;
    keep_until(buffer.offset);
    begin = buffer.offset + buffer.bytes;
  }
  keep_until(layout.bytes);
  return kept;
}

Measured measured_by(const Comparison& comparison, const OutputNumbers& n) {
  Measured m;
  m.compared = n.compared;
  m.wrong = n.wrong;
  m.over_steps = n.over_steps;
  m.disagree = n.disagree;
  m.error.non_finite = n.non_finite;
  m.error.unwritten = n.unwritten;
  m.error.mismatches = n.mismatches;
  m.error.max_ulp = n.max_ulp;
  if (is_floating(comparison.argument().dtype))
    m.error.ulp_histogram.assign(n.ulp_histogram.begin(), n.ulp_histogram.end());
  m.worst_badness = n.worst_badness;
  m.worst_row_error = n.worst_row_error;
  conclude(comparison, {n.error2, n.reference2, n.product, n.count}, 0, m);
  return m;
}

/// Whether an element by itself agrees with what was said of all.
bool bears_out(const Comparison& comparison, const OutputNumbers& n, const SampledElement& sampled) {
  const Dtype dtype = comparison.argument().dtype;
  const auto* const got_unit = reinterpret_cast<const std::byte*>(&sampled.got);
  if (!is_floating(dtype)) {
    const auto distance =
        load_integer(dtype, got_unit) - load_integer(dtype, reinterpret_cast<const std::byte*>(&sampled.reference));
    if (comparison.kind() == Comparison::Kind::quantized)
      return std::fabs(static_cast<double>(distance)) <= comparison.steps();
    return distance == 0;
  }
  const double exact = load_as_double(Dtype::f64, &sampled.reference), got = load_as_double(dtype, got_unit);
  std::uint64_t rounded = 0;
  store_rounded(dtype, &rounded, exact);
  const double expected = load_as_double(dtype, &rounded);
  if (!std::isfinite(expected)) return std::isnan(expected) ? std::isnan(got) : got == expected;
  if (!std::isfinite(got)) return false;
  switch (comparison.kind()) {
    case Comparison::Kind::relative: {
      const double scale = std::max({std::fabs(exact), sampled.row_rms, n.reference_rms});
      const double factor = local_factors(dtype, comparison.indexer().row_length()).element;
      const double error = std::fabs(got - exact);
      return error < comparison.negligible() || error <= factor * comparison.tolerance() * (scale == 0 ? 1 : scale);
    }
    case Comparison::Kind::ulp:
      return static_cast<double>(ulp_distance(dtype, &rounded, got_unit)) <= comparison.tolerance() + 0.5;
    case Comparison::Kind::quantized:
      return std::fabs(got - expected) <= comparison.steps();
    default:
      return got == expected;
  }
}

/// Nothing of an output's storage changed that is none of its elements, or none of its own.
bool keeps_the_rest(const Argument& a, const ComparedOutput& output, const OutputNumbers& n) {
  const bool untouched = output.valid && a.outside == "untouched";
  return (!output.padded || n.changed_units == n.changed) && (!untouched || n.changed_outside == 0);
}

bool judge_numbers(const Comparison& comparison, const ComparedOutput& output, const OutputNumbers& n,
                   Verdict& verdict) {
  const Measured m = measured_by(comparison, n);
  GateResult gate = comparison_gate(comparison, m, nullptr);
  gate.name += ":" + comparison.argument().name;
  const bool is_decided =
      std::ranges::all_of(n.sampled, [&](const SampledElement& sampled) { return bears_out(comparison, n, sampled); });
  const bool passed = gate.passed && m.disagree == 0 && !is_unwritten(m) && is_decided &&
                      keeps_the_rest(comparison.argument(), output, n);
  verdict.gates.push_back(std::move(gate));
  verdict.errors.push_back(m.error);
  return passed;
}

}  // namespace

std::optional<LaunchComparison> describe_comparison(const Problem& problem, const ImageLayout& layout,
                                                    const ReferenceJob& reference, std::uint64_t seed) {
  // A device knows the inputs as they are stored, and exact values as f64.
  if (!layout.relocations.empty() || problem.reference.numbers != ReferenceNumbers::exact) return std::nullopt;
  LaunchComparison comparison;
  for (const Argument& a : problem.arguments) {
    if (!is_judged(a)) continue;
    auto output = describe_output(problem, layout, a, reference, seed);
    if (!output) return std::nullopt;
    comparison.outputs.push_back(std::move(*output));
  }
  comparison.kept = kept_ranges(problem, layout);
  return comparison;
}

std::optional<Verdict> passing_verdict(const Problem& problem, const ImageLayout& layout,
                                       const LaunchComparison& comparison, const LaunchNumbers& numbers,
                                       std::uint64_t seed) {
  if (numbers.changed_words != 0 || numbers.outputs.size() != comparison.outputs.size()) return std::nullopt;
  Verdict verdict;
  verdict.seed = seed;
  verdict.gates = {guards_intact(problem, layout),
                   inputs_intact(problem),
                   {name_of(gate::finite), true, kAllFinite},
                   {name_of(gate::written), true, kAllWritten}};
  std::size_t next = 0;
  for (const Argument& a : problem.arguments) {
    if (!is_judged(a)) continue;
    if (!judge_numbers(Comparison(a), comparison.outputs[next], numbers.outputs[next], verdict)) return std::nullopt;
    ++next;
  }
  return verdict;
}

std::map<std::string, double> errors_by_numbers(const Problem& problem, const LaunchNumbers& numbers) {
  std::map<std::string, double> errors;
  std::size_t next = 0;
  for (const Argument& a : problem.arguments) {
    if (!is_judged(a)) continue;
    const Comparison comparison(a);
    errors[a.name] = error_of(comparison, measured_by(comparison, numbers.outputs[next]));
    ++next;
  }
  return errors;
}

}  // namespace harness::judge
