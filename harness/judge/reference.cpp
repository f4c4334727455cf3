#include "harness/judge/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>

#include "harness/core/error.h"
#include "harness/judge/elements.h"
#include "harness/judge/indexing.h"
#include "harness/judge/layout.h"

namespace harness::judge {
namespace {

constexpr std::int64_t kBlock = 128;

using Numbers = ReferenceNumbers;

Dtype result_dtype(const Argument& a, Numbers numbers) {
  return is_floating(a.dtype) && numbers != Numbers::own ? Dtype::f64 : a.dtype;
}

Argument input_of(const Argument& a, Numbers numbers) {
  Argument input = a;
  input.kind = ArgumentKind::input;
  input.compare.reset();
  if (is_floating(a.dtype) && numbers == Numbers::wide) {
    input.dtype = Dtype::f64;
    input.align = std::max<std::int64_t>(a.align, storage_bytes(input.dtype));
  }
  return input;
}

Argument result_of(const Argument& a, Numbers numbers) {
  Argument result = a;
  result.name = result_name(a);
  // What is not exact works in place: it reads there what was drawn.
  result.kind = a.kind == ArgumentKind::inout && numbers != Numbers::exact ? ArgumentKind::inout : ArgumentKind::output;
  result.dtype = result_dtype(a, numbers);
  result.gen.reset();
  result.align = std::max<std::int64_t>(a.align, storage_bytes(result.dtype));
  return result;
}

/// The arguments that the reference's signature has, in its order.
std::vector<Argument> signature(const Problem& problem) {
  const Numbers numbers = problem.reference.numbers;
  std::vector<Argument> arguments;
  for (const Argument& a : problem.arguments) {
    switch (a.kind) {
      case ArgumentKind::scalar:
      case ArgumentKind::structure:
        arguments.push_back(a);
        break;
      case ArgumentKind::input:
        arguments.push_back(input_of(a, numbers));
        break;
      case ArgumentKind::inout:
        if (numbers == Numbers::exact) arguments.push_back(input_of(a, numbers));
        [[fallthrough]];
      case ArgumentKind::output:
        arguments.push_back(result_of(a, numbers));
        break;
      case ArgumentKind::view:
      case ArgumentKind::pointers:
      case ArgumentKind::tensor_map:
      case ArgumentKind::workspace:
        break;
    }
  }
  return arguments;
}

Dim3 dim3_of(const std::vector<std::int64_t>& numbers) {
  const auto at = [&](std::size_t i) { return i < numbers.size() ? static_cast<std::uint32_t>(numbers[i]) : 1; };
  return {at(0), at(1), at(2)};
}

Launch first_launch(const Problem& problem, const std::vector<Argument>& arguments) {
  const Reference& reference = problem.reference;
  const std::int64_t blocks = std::max<std::int64_t>(1, (reference.threads + kBlock - 1) / kBlock);
  if (blocks > std::numeric_limits<std::int32_t>::max() || reference.sizes.size() != reference.size_values.size()) {
    throw bad_input(
        fmt::format("the reference of '{}' asks for {} threads and has {} values for {} sizes; give it at most "
                    "2^31 blocks of {} threads and one value a size",
                    problem.kernel, reference.threads, reference.size_values.size(), reference.sizes.size(), kBlock));
  }
  Launch launch;
  launch.entry = reference.entry;
  launch.grid.x = static_cast<std::uint32_t>(blocks);
  launch.block.x = kBlock;
  if (!reference.block.empty()) {
    launch.grid = dim3_of(reference.grid);
    launch.block = dim3_of(reference.block);
    launch.shared = reference.shared;
  }
  const auto is_constant = [&](const Argument& a) {
    return std::ranges::find(reference.constants, a.name, &ConstantTable::from) != reference.constants.end();
  };
  for (const Argument& a : arguments)
    if (!is_constant(a)) launch.args.push_back(NamedArgument{a.name, 0});
  for (const std::int64_t size : reference.size_values) launch.args.push_back(ScalarArgument{Dtype::s64, size});
  for (const ReferenceScratch& scratch : reference.scratch) launch.args.push_back(NamedArgument{scratch.name, 0});
  return launch;
}

/// Every launch of the reference has the same arguments.
Plan plan_of(const Problem& problem, const std::vector<Argument>& arguments) {
  const Launch first = first_launch(problem, arguments);
  Plan plan{{first}, {}, problem.reference.constants};
  for (const ReferenceLaunch& further : problem.reference.further) {
    Launch launch = first;
    launch.entry = further.entry;
    launch.grid = dim3_of(further.grid);
    launch.block = dim3_of(further.block);
    launch.shared = further.shared;
    plan.steps.emplace_back(std::move(launch));
  }
  for (const ReferenceScratch& scratch : problem.reference.scratch)
    plan.workspaces.push_back({.name = scratch.name, .bytes = scratch.bytes, .zeroed = scratch.zeroed});
  return plan;
}

/// All elements of a buffer as f64.
void widen(Dtype dtype, std::span<const std::byte> from, std::span<std::byte> to) {
  const auto bytes = static_cast<std::size_t>(storage_bytes(dtype));
  const std::size_t count = std::min(from.size() / bytes, to.size() / sizeof(double));
  parallel_ranges(static_cast<std::int64_t>(count), 0, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> values(static_cast<std::size_t>(end - begin));
    load_strided(dtype, from.data() + static_cast<std::size_t>(begin) * bytes, 1, values);
    std::memcpy(to.data() + static_cast<std::size_t>(begin) * sizeof(double), values.data(),
                values.size() * sizeof(double));
  });
}

ReferenceArray read_array(const Argument& a, const ReferenceJob& job, std::span<const std::byte> image) {
  const Dtype stored = result_dtype(a, job.executable.problem.reference.numbers);
  const int bytes = storage_bytes(stored);
  const auto data = payload(job.executable.layout, result_name(a), image);
  const Indexer indexer(a);
  ReferenceArray array{a.dtype, a.shape, {}, {}};
  array.values = Uncleared<double>(static_cast<std::size_t>(indexer.count()));
  if (!is_floating(a.dtype)) array.raw.resize(indexer.count() * bytes);
  parallel_ranges(indexer.count(), 0, [&](std::int64_t begin, std::int64_t end) {
    indexer.for_row_parts(begin, end, [&](std::int64_t logical, std::int64_t storage, std::int64_t count) {
      const std::byte* const units = data.data() + storage * bytes;
      load_strided(stored, units, indexer.column_stride(), std::span(array.values).subspan(logical, count));
      if (array.raw.empty()) return;
      for (std::int64_t i = 0; i < count; ++i)
        std::memcpy(array.raw.data() + (logical + i) * bytes, units + i * indexer.column_stride() * bytes, bytes);
    });
  });
  return array;
}

}  // namespace

bool is_program(const Reference& reference) {
  return reference.source.ends_with(".py");
}

std::string result_name(const Argument& a) {
  return a.kind == ArgumentKind::inout ? a.name + ".out" : a.name;
}

BuildSpec trusted_build(const std::string& path, const std::string& source, std::vector<std::string> entries) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  BuildSpec spec;
  spec.source_name = path;
  spec.source = source;
  spec.entries = std::move(entries);
  spec.include_dirs = {folder.string(), (folder.parent_path() / "include").string()};
  return spec;
}

BuildSpec reference_build(const Problem& problem, const std::string& source) {
  std::vector<std::string> entries{problem.reference.entry};
  for (const ReferenceLaunch& further : problem.reference.further)
    if (std::find(entries.begin(), entries.end(), further.entry) == entries.end()) entries.push_back(further.entry);
  BuildSpec spec = trusted_build(problem.reference.source, source, std::move(entries));
  spec.constants = symbols_of(problem.reference.constants);
  return spec;
}

ReferenceJob make_reference_job(const Problem& problem, const std::string& source) {
  ReferenceJob job;
  job.spec = reference_build(problem, source);
  job.executable.problem = problem;
  job.executable.problem.arguments = signature(problem);
  job.executable.plan = plan_of(problem, job.executable.problem.arguments);
  job.executable.layout = make_layout(job.executable.problem, job.executable.plan);
  return job;
}

Bytes reference_image(const Problem& problem, const ImageLayout& layout, std::span<const std::byte> painted,
                      const ReferenceJob& job) {
  Bytes image(job.executable.layout.bytes);
  parallel_ranges(job.executable.layout.bytes, threads_for(job.executable.layout.bytes / 16),
                  [&](std::int64_t begin, std::int64_t end) {
                    std::fill(image.begin() + begin, image.begin() + end, std::byte{0xff});
                  });
  for (const ReferenceScratch& scratch : problem.reference.scratch)
    if (scratch.zeroed) std::ranges::fill(payload(job.executable.layout, scratch.name, std::span(image)), std::byte{});
  const Numbers numbers = problem.reference.numbers;
  for (const Argument& a : problem.arguments) {
    if (!is_drawn(a)) continue;
    const std::string name = numbers == Numbers::exact ? a.name : result_name(a);
    const auto from = payload(layout, a.name, painted);
    const auto to = payload(job.executable.layout, name, std::span(image));
    if (numbers == Numbers::wide && is_floating(a.dtype)) widen(a.dtype, from, to);
    else copy_bytes(from, to);
  }
  return image;
}

ReferenceValues read_reference(const Problem& problem, const ReferenceJob& job, std::span<const std::byte> image) {
  ReferenceValues values;
  for (const Argument& a : problem.arguments) {
    if (is_judged(a)) values[a.name] = read_array(a, job, image);
  }
  return values;
}

}  // namespace harness::judge
