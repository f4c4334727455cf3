#include "harness/evaluate/launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/system/awake_clock.h"

namespace harness {
namespace {

bool is_compared(const Argument& argument) {
  const bool open = !argument.valid_rows.empty() && argument.outside == "anything";
  return is_written(argument.kind) && !argument.absent && !open;
}

template <typename F>
void for_outputs(const Subject& subject, F&& f) {
  for (const Argument& argument : subject.problem().arguments)
    if (is_compared(argument))
      if (const ImageBuffer* buffer = find_buffer(subject.executable.layout, argument.name)) f(argument, *buffer);
}

}  // namespace

std::vector<Contender> contenders_of(const std::vector<Subject*>& subjects) {
  std::vector<Contender> contenders;
  for (const Subject* subject : subjects) {
    Contender contender{&subject->executable, {}, {}};
    for (const SharedMemory& image : subject->images) contender.images.push_back(&image);
    contenders.push_back(std::move(contender));
  }
  return contenders;
}

Launched launch_and_judge(WorkerPool& workers, Subject& subject, std::size_t contender, std::size_t image,
                          double deadline_s, Inputs inputs) {
  Launched launched;
  const double begin = awake_seconds();
  launched.failure = workers.runner.run(contender, image, deadline_s, nullptr, &launched.elapsed_ns, inputs);
  launched.seconds = awake_seconds() - begin;
  if (launched.failure) return launched;
  const SharedMemory copy = workers.native() ? subject.images[image].copy() : SharedMemory();
  const SharedMemory& evidence = workers.native() ? copy : subject.images[image];
  launched.verdict = workers.judge.verdict(subject.executable, subject.trusted, subject.draws[image], evidence);
  return launched;
}

judge::Bytes output_bytes(const Subject& subject, std::size_t image) {
  std::size_t total = 0;
  for_outputs(subject, [&](const Argument&, const ImageBuffer& b) { total += static_cast<std::size_t>(b.bytes); });
  judge::Bytes bytes(total);
  std::span<std::byte> rest = bytes;
  for_outputs(subject, [&](const Argument&, const ImageBuffer& buffer) {
    const auto count = static_cast<std::size_t>(buffer.bytes);
    judge::copy_bytes(subject.images[image].bytes().subspan(static_cast<std::size_t>(buffer.offset), count),
                      rest.first(count));
    rest = rest.subspan(count);
  });
  return bytes;
}

std::string difference_in_words(const Subject& subject, const judge::Bytes& first, std::size_t image) {
  std::size_t at = 0;
  std::string words;
  for_outputs(subject, [&](const Argument& argument, const ImageBuffer& buffer) {
    const auto unit = static_cast<std::size_t>(storage_bytes(argument.dtype));
    const auto count = static_cast<std::size_t>(buffer.bytes) / unit;
    const std::byte *const one = first.data() + at, *const other = subject.images[image].bytes().data() + buffer.offset;
    at += static_cast<std::size_t>(buffer.bytes);
    if (std::memcmp(one, other, count * unit) == 0) return;
    std::size_t different = 0, where = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (std::memcmp(one + i * unit, other + i * unit, unit) == 0) continue;
      if (different++ == 0) where = i;
    }
    words += fmt::format("{}{} of {} elements of '{}' differ, the first at element {} of its storage",
                         words.empty() ? "" : "; ", different, count, argument.name, where);
  });
  return words;
}

std::string errors_in_words(const Verdict& verdict) {
  std::string words;
  for (const ArgumentError& error : verdict.errors) {
    const double measured = error.relative_l2 > 0 ? error.relative_l2 : static_cast<double>(error.mismatches);
    words += fmt::format("{}{} {:.2g} of {:.2g}", words.empty() ? "" : ", ", error.argument, measured, error.tolerance);
  }
  return words;
}

}  // namespace harness
