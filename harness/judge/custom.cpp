#include "harness/judge/custom.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "harness/core/error.h"
#include "harness/core/gates.h"
#include "harness/judge/draw.h"
#include "harness/judge/elements.h"
#include "harness/judge/indexing.h"
#include "harness/judge/layout.h"
#include "harness/judge/tolerance.h"

namespace harness::judge {
namespace {

std::string required_text(const Argument& a, const json& options, const char* key) {
  const auto option = options.find(key);
  if (option != options.end() && option->is_string()) return option->get<std::string>();
  throw bad_input(fmt::format("custom code of argument '{}' needs the option '{}'", a.name, key));
}

/// Calls f(argument, options) for every custom generator and comparison.
template <typename F>
void for_custom(const Problem& problem, F&& f) {
  for (const Argument& a : problem.arguments) {
    if (is_drawn(a) && a.gen && a.gen->kind == "custom") f(a, a.gen->options);
    if (is_judged(a) && compare_of(a).kind == "custom") f(a, a.compare->options);
  }
}

Argument buffer(const Argument& like, const std::string& name, ArgumentKind kind, Dtype dtype) {
  Argument a = like;
  a.name = name;
  a.kind = kind;
  a.dtype = dtype;
  a.align = std::max<std::int64_t>(like.align, storage_bytes(dtype));
  return a;
}

Executable launch_custom(const Problem& problem, const Argument& a, const json& options, std::vector<Argument> buffers,
                         const std::vector<ScalarArgument>& scalars) {
  constexpr std::int64_t kBlock = 128;
  const std::int64_t threads = options.value("threads", count_elements(a));
  Launch launch;
  launch.entry = required_text(a, options, "entry");
  launch.grid.x = static_cast<std::uint32_t>(std::max<std::int64_t>(1, (threads + kBlock - 1) / kBlock));
  launch.block.x = kBlock;
  for (const Argument& b : buffers) launch.args.push_back(NamedArgument{b.name, 0});
  launch.args.insert(launch.args.end(), scalars.begin(), scalars.end());
  for (const std::int64_t size : problem.reference.size_values) launch.args.push_back(ScalarArgument{Dtype::s64, size});
  Executable executable;
  executable.problem = problem;
  executable.problem.arguments = std::move(buffers);
  executable.plan.steps = {std::move(launch)};
  executable.layout = make_layout(executable.problem, executable.plan);
  return executable;
}

const char* const kVerdict = "verdict";

}  // namespace

std::vector<std::string> custom_sources(const Problem& problem) {
  std::set<std::string> sources;
  for_custom(problem,
             [&](const Argument& a, const json& options) { sources.insert(required_text(a, options, "source")); });
  return {sources.begin(), sources.end()};
}

BuildSpec custom_build(const Problem& problem, const std::string& path, const std::string& source) {
  std::set<std::string> entries;
  for_custom(problem, [&](const Argument& a, const json& options) {
    if (required_text(a, options, "source") == path) entries.insert(required_text(a, options, "entry"));
  });
  return trusted_build(path, source, {entries.begin(), entries.end()});
}

CustomJob custom_draw_job(const Problem& problem, const Argument& argument, std::uint64_t seed,
                          const ImageLayout& layout, std::span<const std::byte> image) {
  const json& options = argument.gen->options;
  const std::vector<std::string> read = options.value("of", std::vector<std::string>());
  std::vector<Argument> buffers;
  for (const std::string& name : read) {
    const Argument* const other = find_argument(problem, name);
    if (other == nullptr || !is_drawn(*other) || other->absent)
      throw bad_input(fmt::format("'{}' is drawn from '{}', which is no input of this workload", argument.name, name));
    buffers.push_back(buffer(*other, name, ArgumentKind::input, other->dtype));
  }
  buffers.push_back(buffer(argument, argument.name, ArgumentKind::output, argument.dtype));
  CustomJob job;
  job.source = required_text(argument, options, "source");
  job.executable =
      launch_custom(problem, argument, options, std::move(buffers), {{Dtype::s64, static_cast<std::int64_t>(seed)}});
  job.image.assign(job.executable.layout.bytes, std::byte{0});
  for (const std::string& name : read)
    std::ranges::copy(payload(layout, name, image),
                      payload(job.executable.layout, name, std::span<std::byte>(job.image)).begin());
  return job;
}

void place_custom_draw(const Argument& argument, const CustomJob& job, const ImageLayout& layout,
                       std::span<std::byte> image) {
  const auto drawn = payload(job.executable.layout, argument.name, std::span<const std::byte>(job.image));
  const auto target = payload(layout, argument.name, image);
  const Indexer indexer(argument);
  const int bytes = storage_bytes(argument.dtype);
  indexer.for_elements(0, indexer.count(), [&](std::int64_t, std::int64_t storage) {
    std::memcpy(target.data() + storage * bytes, drawn.data() + storage * bytes, bytes);
  });
}

std::vector<std::string> needs_custom_compare(const Problem& problem) {
  std::vector<std::string> names;
  for (const Argument& a : problem.arguments) {
    if (is_judged(a) && compare_of(a).kind == "custom") names.push_back(a.name);
  }
  return names;
}

CustomJob custom_compare_job(const Problem& problem, const Argument& argument, const ImageLayout& layout,
                             std::span<const std::byte> after, const ReferenceArray& reference) {
  const json& options = argument.compare->options;
  const Dtype dtype = is_floating(argument.dtype) ? Dtype::f64 : argument.dtype;
  Argument verdict;
  verdict.shape = {2};
  CustomJob job;
  job.source = required_text(argument, options, "source");
  job.executable = launch_custom(problem, argument, options,
                                 {buffer(argument, "got", ArgumentKind::input, argument.dtype),
                                  buffer(argument, "reference", ArgumentKind::input, dtype),
                                  buffer(verdict, kVerdict, ArgumentKind::output, Dtype::f64)},
                                 {});
  job.image.assign(job.executable.layout.bytes, std::byte{0});
  const std::span<std::byte> image(job.image);
  std::ranges::copy(payload(layout, argument.name, after), payload(job.executable.layout, "got", image).begin());
  const auto wanted = payload(job.executable.layout, "reference", image);
  const Indexer indexer(argument);
  const int bytes = storage_bytes(dtype);
  indexer.for_elements(0, indexer.count(), [&](std::int64_t logical, std::int64_t storage) {
    std::byte* const unit = wanted.data() + storage * bytes;
    if (is_floating(dtype)) store_rounded(dtype, unit, reference.values[logical]);
    else std::memcpy(unit, reference.raw.data() + logical * bytes, bytes);
  });
  return job;
}

GateResult read_custom_compare(const CustomJob& job) {
  const auto verdict = payload(job.executable.layout, kVerdict, std::span<const std::byte>(job.image));
  const double wrong = load_as_double(Dtype::f64, verdict.data());
  const double error = load_as_double(Dtype::f64, verdict.data() + 8);
  return {name_of(gate::custom), wrong == 0, fmt::format("{:g} elements are wrong, error {:.3g}", wrong, error)};
}

}  // namespace harness::judge
