#include "harness/worker/processes/device_judging.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/core/error.h"
#include "harness/judge/draw.h"
#include "harness/judge/elements.h"
#include "harness/judge/forms.h"
#include "harness/judge/launch_judgement.h"
#include "harness/judge/paint.h"

namespace harness {
namespace {

constexpr std::size_t kWorthIt = 1 << 20;  // bytes; below it a core is as fast

std::uint64_t secret_seed() {
  std::uint64_t seed = 0;
  // not by the C library: see move_on() in loaded_process.cpp
  if (syscall(SYS_getrandom, &seed, sizeof seed, 0) != sizeof seed)
    throw environment_error("the system gives no random numbers");
  return seed;
}

/// False: an output does not lie in rows that follow each other, as the values do.
bool give(const Problem& problem, const judge::ReferenceJob& reference, const judge::ReferenceValues& values,
          JudgedLaunch& launch) {
  for (const Argument& a : problem.arguments) {
    if (!judge::is_judged(a)) continue;
    if (!a.strides.empty() && a.strides != contiguous_strides(a.shape)) return false;
    const judge::ReferenceArray& array = values.at(a.name);
    const ImageBuffer& buffer = *find_buffer(reference.executable.layout, judge::result_name(a));
    const auto bytes = is_floating(a.dtype) ? std::as_bytes(std::span(array.values)) : std::span(array.raw);
    if (static_cast<std::int64_t>(bytes.size()) > buffer.bytes) return false;
    launch.given.emplace_back(buffer.offset, bytes);
  }
  return true;
}

}  // namespace

bool DeviceJudging::is_worth_it(std::size_t bytes) {
  return bytes >= kWorthIt;
}

bool DeviceJudging::is_worth_it(const ImageLayout& layout) {
  return is_worth_it(static_cast<std::size_t>(layout.bytes)) && layout.bytes % 16 == 0 && layout.relocations.empty();
}

bool DeviceJudging::can_paint(const Executable& executable, const DrawId& draw) {
  return (draw.form == "nominal" || !draw.fresh) && is_worth_it(executable.layout);
}

std::unique_ptr<DeviceImage> DeviceJudging::paint(const Executable& executable, const DrawId& draw,
                                                  std::span<const std::byte> rest,
                                                  const std::vector<std::string>& given) {
  const ImageLayout& layout = executable.layout;
  PaintOrder order{.layout = &layout,
                   .pattern_seed = draw.seed,
                   .pattern_stream = judge::pattern_stream(),
                   .seeds = draw.fresh.value_or(FreshSeeds{draw.seed, draw.seed}),
                   .zeroed = {},
                   .given = {},
                   .forms = {}};
  for (const Workspace& w : executable.plan.workspaces)
    if (const ImageBuffer* buffer = find_buffer(layout, w.name); w.zeroed && buffer != nullptr)
      order.zeroed.push_back({buffer->offset, buffer->offset + buffer->bytes});
  for (const std::string& name : given)
    order.given.emplace_back(find_buffer(layout, name)->offset, judge::payload(layout, name, rest));
  for (const Argument& a : executable.problem.arguments)
    if (const auto form = judge::is_drawn(a) ? judge::value_form(draw.form, a) : std::nullopt)
      order.forms.emplace_back(find_buffer(layout, a.name)->offset, *form);
  auto image = device_->paint(order);
  for (const Argument& a : executable.problem.arguments)
    if (judge::is_drawn(a) && judge::device_draws(layout, a, draw.form))
      check_draw(executable, a, order.seeds.values, draw.form, *image);
  return image;
}

void DeviceJudging::check_draw(const Executable& executable, const Argument& a, std::uint64_t seed,
                               const std::string& form, const DeviceImage& image) {
  const judge::DrawnSample sample = judge::sample_draw(executable.problem, executable.layout, a, seed, form);
  if (device_->gather(image, sample.places, storage_bytes(a.dtype)) == sample.bits) return;
  throw environment_error(
      fmt::format("the device drew other elements of '{}' than this program does; its memory or its compiler is at "
                  "fault",
                  a.name));
}

std::optional<DeviceJudging::Compared> DeviceJudging::compare(const Executable& executable,
                                                              const judge::ReferenceJob& reference,
                                                              const DeviceImage& before,
                                                              std::span<const std::byte> after,
                                                              const judge::ReferenceValues* values) {
  const Problem& problem = executable.problem;
  auto comparison = judge::describe_comparison(problem, executable.layout, reference, secret_seed());
  if (!comparison) return std::nullopt;
  JudgedLaunch launch{.before = &before,
                      .after = after,
                      .reference = &reference.executable,
                      .inputs = {},
                      .given = {},
                      .comparison = &*comparison};
  if (values != nullptr && !give(problem, reference, *values, launch)) return std::nullopt;
  for (const Argument& a : problem.arguments) {
    if (!judge::is_drawn(a)) continue;
    const ImageBuffer& from = *find_buffer(executable.layout, a.name);
    launch.inputs.push_back({from.offset, find_buffer(reference.executable.layout, a.name)->offset, from.bytes});
  }
  LaunchNumbers numbers = device_->compare(launch);
  return Compared{std::move(*comparison), std::move(numbers)};
}

std::optional<Verdict> DeviceJudging::passing_verdict(const Executable& executable, const DrawId& draw,
                                                      const judge::ReferenceJob& reference, const DeviceImage& before,
                                                      std::span<const std::byte> after,
                                                      const judge::ReferenceValues* values) {
  const auto compared = compare(executable, reference, before, after, values);
  if (!compared) return std::nullopt;
  return judge::passing_verdict(executable.problem, executable.layout, compared->comparison, compared->numbers,
                                draw.seed);
}

std::optional<std::map<std::string, double>> DeviceJudging::errors(const Executable& executable,
                                                                   const judge::ReferenceJob& reference,
                                                                   const DeviceImage& before,
                                                                   std::span<const std::byte> after,
                                                                   const judge::ReferenceValues* values) {
  const auto compared = compare(executable, reference, before, after, values);
  if (!compared) return std::nullopt;
  return judge::errors_by_numbers(executable.problem, compared->numbers);
}

}  // namespace harness
