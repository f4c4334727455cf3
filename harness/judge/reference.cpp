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

Dtype result_dtype(const Argument& a) {
  return is_floating(a.dtype) ? Dtype::f64 : a.dtype;
}

Argument input_of(const Argument& a) {
  Argument input = a;
  input.kind = ArgumentKind::input;
  input.compare.reset();
  return input;
}

Argument result_of(const Argument& a) {
  Argument result = a;
  result.name = result_name(a);
  result.kind = ArgumentKind::output;
  result.dtype = result_dtype(a);
  result.gen.reset();
  result.align = std::max<std::int64_t>(a.align, storage_bytes(result.dtype));
  return result;
}

/// The arguments that the reference's signature has, in its order.
std::vector<Argument> signature(const Problem& problem) {
  std::vector<Argument> arguments;
  for (const Argument& a : problem.arguments) {
    switch (a.kind) {
      case ArgumentKind::input:
      case ArgumentKind::scalar:
      case ArgumentKind::structure:
        arguments.push_back(a);
        break;
      case ArgumentKind::inout:
        arguments.push_back(input_of(a));
        [[fallthrough]];
      case ArgumentKind::output:
        arguments.push_back(result_of(a));
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

Launch launch_of(const Problem& problem, const std::vector<Argument>& arguments) {
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
  for (const Argument& a : arguments) launch.args.push_back(NamedArgument{a.name, 0});
  for (const std::int64_t size : reference.size_values) launch.args.push_back(ScalarArgument{Dtype::s64, size});
  return launch;
}

ReferenceArray read_array(const Argument& a, const ReferenceJob& job, std::span<const std::byte> image) {
  const Dtype stored = result_dtype(a);
  const int bytes = storage_bytes(stored);
  const auto data = payload(job.executable.layout, result_name(a), image);
  const Indexer indexer(a);
  ReferenceArray array{a.dtype, a.shape, {}, {}};
  array.values.resize(indexer.count());
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
  return trusted_build(problem.reference.source, source, {problem.reference.entry});
}

ReferenceJob make_reference_job(const Problem& problem, const std::string& source) {
  ReferenceJob job;
  job.spec = reference_build(problem, source);
  job.executable.problem = problem;
  job.executable.problem.arguments = signature(problem);
  job.executable.plan.steps = {launch_of(problem, job.executable.problem.arguments)};
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
  for (const Argument& a : problem.arguments)
    if (is_drawn(a))
      copy_bytes(payload(layout, a.name, painted), payload(job.executable.layout, a.name, std::span(image)));
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
