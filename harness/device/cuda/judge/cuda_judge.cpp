#include "harness/device/cuda/judge/cuda_judge.h"

#include <algorithm>
#include <bit>

#include "harness/core/error.h"
#include "harness/device/cuda/judge/comparison_table.h"
#include "harness/device/cuda/judge/judging_source.h"
#include "harness/device/cuda/probe.h"
#include "harness/device/cuda/run/graphs.h"
#include "harness/device/cuda/run/loaded_plan.h"
#include "harness/device/cuda/run/set_tables.h"

namespace harness::cuda {
namespace {

constexpr std::uint32_t kThreads = 256, kMostBlocks = 2048;

struct CudaImage : DeviceImage {
  OwnedMemory memory;
  std::size_t bytes = 0;
  DevicePointer base() const { return memory.get(); }
};

const CudaImage& own(const DeviceImage& image) {
  return static_cast<const CudaImage&>(image);
}

std::unique_ptr<CudaImage> make_image(const DriverApi& api, std::size_t bytes) {
  auto image = std::make_unique<CudaImage>();
  image->memory = allocate(api, std::max<std::size_t>(bytes, 1));
  image->bytes = bytes;
  return image;
}

const DriverApi& required_driver() {
  const DriverLibrary& library = driver_library();
  if (!library.api) throw environment_error(library.missing);
  return *library.api;
}

}  // namespace

/// Where the images of a launch lie, and where the table of its outputs does.
struct CudaJudge::Looking {
  DevicePointer before = 0, after = 0, reference = 0;
  DevicePointer table = 0;
  long long which = 0;
};

CudaJudge::CudaJudge(int ordinal, const std::string& architecture, const std::string& cache_folder)
    : CudaJudge(required_driver(), ordinal, architecture, cache_folder) {}

CudaJudge::CudaJudge(const DriverApi& api, int ordinal, const std::string& architecture,
                     const std::string& cache_folder)
    : api_(api),
      context_(api, ordinal),
      stream_(create_stream(api)),
      modules_(api),
      libraries_(api),
      kernels_(api, modules_, cache_folder, architecture, judging_build()),
      after_(api),
      reference_(api),
      work_(api),
      words_(api) {}

OwnKernels::Shape CudaJudge::spread(std::int64_t threads) const {
  const std::int64_t blocks = std::clamp<std::int64_t>((threads + kThreads - 1) / kThreads, 1, kMostBlocks);
  return {.blocks = static_cast<std::uint32_t>(blocks), .threads = kThreads};
}

template <typename T>
void CudaJudge::send(DevicePointer to, std::span<const T> from) {
  if (from.empty()) return;
  check(api_, api_.cuMemcpyHtoDAsync_v2(to, from.data(), from.size_bytes(), stream_.get()), "cuMemcpyHtoDAsync");
}

template <typename T>
void CudaJudge::fetch(std::span<T> into, DevicePointer from) {
  if (into.empty()) return;
  check(api_, api_.cuMemcpyDtoHAsync_v2(into.data(), from, into.size_bytes(), stream_.get()), "cuMemcpyDtoHAsync");
  synchronize(api_, stream_.get());
}

std::unique_ptr<DeviceImage> CudaJudge::paint(const PaintOrder& order) {
  const ImageLayout& layout = *order.layout;
  auto image = make_image(api_, static_cast<std::size_t>(layout.bytes));
  std::vector<std::int64_t> draws;
  std::vector<const ImageBuffer*> drawn;
  for (const ImageBuffer& buffer : layout.buffers) {
    if (!buffer.draw) continue;
    append_draw(buffer, draws);
    drawn.push_back(&buffer);
  }
  const auto forms_at = static_cast<DevicePointer>(8 * draws.size());
  for (const auto& [offset, form] : order.forms) append_form(form, draws);
  const DevicePointer table = words_.reserve(8 * static_cast<std::int64_t>(draws.size()) + 8);
  send(table, std::span<const std::int64_t>(draws));
  kernels_.launch("harness_paint_pattern", spread(layout.bytes / 16), stream_.get(), image->base(),
                  static_cast<long long>(layout.bytes), static_cast<unsigned long long>(order.pattern_seed),
                  static_cast<unsigned long long>(order.pattern_stream));
  for (const ByteRange& range : order.zeroed)
    check(api_,
          api_.cuMemsetD8Async(image->base() + static_cast<DevicePointer>(range.begin), 0,
                               static_cast<std::size_t>(range.end - range.begin), stream_.get()),
          "cuMemsetD8Async");
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const ElementDraw& draw = *drawn[i]->draw;
    const auto form = std::ranges::find(order.forms, drawn[i]->offset, [](const auto& known) { return known.first; });
    const bool formed = !draw.poison && form != order.forms.end();
    kernels_.launch("harness_paint", spread(elements_of(draw)), stream_.get(), image->base(), table,
                    static_cast<long long>(i),
                    static_cast<unsigned long long>(draw.poison ? order.seeds.poison : order.seeds.values),
                    table + forms_at, static_cast<long long>(formed ? form - order.forms.begin() : -1));
  }
  for (const auto& [offset, payload] : order.given) send(image->base() + static_cast<DevicePointer>(offset), payload);
  synchronize(api_, stream_.get());
  return image;
}

std::unique_ptr<DeviceImage> CudaJudge::upload(std::span<const std::byte> bytes) {
  auto image = make_image(api_, bytes.size());
  send(image->base(), bytes);
  synchronize(api_, stream_.get());
  return image;
}

void CudaJudge::read(const DeviceImage& image, std::span<std::byte> into) {
  fetch(into.first(std::min(into.size(), own(image).bytes)), own(image).base());
}

std::vector<std::uint64_t> CudaJudge::gather(const DeviceImage& image, std::span<const std::int64_t> places,
                                             std::int64_t width) {
  return gather_at(own(image).base(), places, width);
}

std::vector<std::uint64_t> CudaJudge::gather_at(DevicePointer image, std::span<const std::int64_t> places,
                                                std::int64_t width) {
  std::vector<std::uint64_t> units(places.size());
  if (places.empty()) return units;
  const auto bytes = static_cast<std::int64_t>(places.size_bytes());
  const DevicePointer at = words_.reserve(2 * bytes), sampled = at + static_cast<DevicePointer>(bytes);
  send(at, places);
  kernels_.launch("harness_gather", spread(static_cast<std::int64_t>(places.size())), stream_.get(), image, at,
                  static_cast<long long>(places.size()), static_cast<long long>(width), sampled);
  fetch(std::span(units), sampled);
  return units;
}

DevicePointer CudaJudge::run_reference(const JudgedLaunch& launch, DevicePointer before) {
  const Executable& executable = *launch.reference;
  const DevicePointer base = reference_.reserve(executable.layout.bytes);
  check(api_, api_.cuMemsetD8Async(base, 0xff, static_cast<std::size_t>(executable.layout.bytes), stream_.get()),
        "cuMemsetD8Async");
  if (!launch.given.empty()) {
    for (const auto& [offset, values] : launch.given) send(base + static_cast<DevicePointer>(offset), values);
    synchronize(api_, stream_.get());
    return base;
  }
  LoadedPlan plan(api_, modules_, libraries_, executable);
  for (const JudgedLaunch::Copied& copied : launch.inputs)
    if (copied.bytes > 0)
      check(api_,
            api_.cuMemcpyDtoDAsync_v2(base + static_cast<DevicePointer>(copied.to),
                                      before + static_cast<DevicePointer>(copied.from),
                                      static_cast<std::size_t>(copied.bytes), stream_.get()),
            "cuMemcpyDtoDAsync");
  plan.fill_constants(stream_.get(), base);
  plan.enqueue(stream_.get(), base);
  synchronize(api_, stream_.get());
  return base;
}

std::int64_t CudaJudge::changed_words(const LaunchComparison& comparison, DevicePointer before, DevicePointer after) {
  std::vector<std::int64_t> ranges;
  std::int64_t bytes = 0;
  for (const ByteRange& range : comparison.kept) {
    ranges.insert(ranges.end(), {range.begin, range.end});
    bytes += range.end - range.begin;
  }
  const DevicePointer at = words_.reserve(8 * static_cast<std::int64_t>(ranges.size() + 1));
  std::uint64_t changed = 0;
  const DevicePointer differences = at + 8 * ranges.size();
  send(at, std::span<const std::int64_t>(ranges));
  check(api_, api_.cuMemsetD8Async(differences, 0, 8, stream_.get()), "cuMemsetD8Async");
  kernels_.launch("harness_changed", spread(bytes / 8), stream_.get(), before, after, at,
                  static_cast<long long>(comparison.kept.size()), differences);
  fetch(std::span(&changed, 1), differences);
  return static_cast<std::int64_t>(changed);
}

// Room in `work_`: segments (4 words each), rows (4 and 1), totals (2 and 4), counts.
OutputNumbers CudaJudge::look(const Looking& at, const ComparedOutput& output) {
  const ComparedShape shape = shape_of(output);
  const std::int64_t units = shape.rows * shape.segments;
  const DevicePointer segments = work_.reserve(8 * (4 * units + 5 * shape.rows + 6 + kCountsWords));
  const DevicePointer rows = segments + 8 * static_cast<DevicePointer>(4 * units),
                      rms = rows + 8 * static_cast<DevicePointer>(4 * shape.rows),
                      reference_totals = rms + 8 * static_cast<DevicePointer>(shape.rows),
                      totals = reference_totals + 16, counts = totals + 32;
  check(api_, api_.cuMemsetD8Async(reference_totals, 0, 8 * (6 + kCountsWords), stream_.get()), "cuMemsetD8Async");
  if (is_floating(output.dtype)) {
    kernels_.launch("harness_reference_sums", spread(32 * units), stream_.get(), at.before, at.reference, at.table,
                    at.which, segments);
    kernels_.launch("harness_row_norms", spread(shape.rows), stream_.get(), at.table, at.which, segments, rows, rms);
    kernels_.launch("harness_total", {.threads = kThreads}, stream_.get(), rows, static_cast<long long>(shape.rows),
                    2ll, reference_totals);
  }
  kernels_.launch("harness_compare", spread(32 * units), stream_.get(), at.before, at.after, at.reference, at.table,
                  at.which, reference_totals, rms, segments, counts);
  kernels_.launch("harness_row_errors", spread(shape.rows), stream_.get(), at.table, at.which, reference_totals,
                  segments, rows, counts);
  kernels_.launch("harness_total", {.threads = kThreads}, stream_.get(), rows, static_cast<long long>(shape.rows), 4ll,
                  totals);
  if (output.padded)
    kernels_.launch("harness_changed_units", spread(output.bytes), stream_.get(), at.before, at.after, at.table,
                    at.which, counts);
  std::vector<double> sums(6);
  std::vector<std::uint64_t> counted(kCountsWords);
  fetch(std::span(sums), reference_totals);
  fetch(std::span(counted), counts);
  OutputNumbers numbers = read_numbers(counted, std::span(sums).first(2), std::span(sums).subspan(2));
  numbers.sampled = sample(at, output, rms);
  return numbers;
}

std::vector<SampledElement> CudaJudge::sample(const Looking& at, const ComparedOutput& output, DevicePointer rms) {
  const bool floating = is_floating(output.dtype);
  const int width = storage_bytes(output.dtype), exact = floating ? 8 : width;
  std::vector<std::int64_t> left, right, rows;
  for (const ComparedOutput::Place& place : output.sampled) {
    left.push_back(output.at + place.unit * width);
    right.push_back(output.reference_at + place.unit * exact);
    rows.push_back(8 * place.row);
  }
  const auto got = gather_at(at.after, left, width), reference = gather_at(at.reference, right, exact);
  const auto norms = floating ? gather_at(rms, rows, 8) : std::vector<std::uint64_t>(rows.size());
  std::vector<SampledElement> sampled;
  for (std::size_t i = 0; i < got.size(); ++i)
    sampled.push_back({got[i], reference[i], std::bit_cast<double>(norms[i])});
  return sampled;
}

LaunchNumbers CudaJudge::compare(const JudgedLaunch& launch) {
  const LaunchComparison& comparison = *launch.comparison;
  Looking at;
  at.before = own(*launch.before).base();
  at.after = after_.reserve(static_cast<std::int64_t>(launch.after.size()));
  send(at.after, launch.after);
  at.reference = run_reference(launch, at.before);
  LaunchNumbers numbers;
  numbers.changed_words = changed_words(comparison, at.before, at.after);
  for (const ComparedOutput& output : comparison.outputs) {
    std::vector<std::int64_t> words;
    append_compared(output, words);
    at.table = words_.reserve(8 * static_cast<std::int64_t>(words.size()));
    send(at.table, std::span<const std::int64_t>(words));
    numbers.outputs.push_back(look(at, output));
  }
  return numbers;
}

}  // namespace harness::cuda
