#include "harness/worker/observation.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <future>
#include <thread>

#include "harness/core/error.h"
#include "harness/worker/memory/instrumented_check.h"
#include "harness/worker/processes/builders.h"
#include "harness/worker/processes/runner.h"
#include "harness/worker/processes/shared_memory.h"

namespace harness {
namespace {

constexpr double kPrepareDeadline = 20;    // s
constexpr std::size_t kImagesAtOnce = 32;  // images that a runner holds: each is a descriptor
constexpr std::size_t kMostRunners = 4;    // at once; a checked launch keeps one core busy
constexpr std::int64_t kMostAfter = 8ll << 20;
constexpr std::size_t kMostParts = 4096;  // of an arena

/// Every arena, then what was seen of it, in pages of their own.
Executable executable_of(const Artifact& artifact, const ObservedLaunch& observed) {
  Executable executable;
  executable.artifact = artifact;
  executable.plan.steps = {observed.launch};
  executable.plan.constants = observed.constants;
  for (const Launch& launch : observed.further) executable.plan.steps.emplace_back(launch);
  std::int64_t offset = kPageBytes;
  const auto place = [&](const std::string& name, std::int64_t bytes) {
    executable.layout.buffers.push_back({.name = name, .offset = offset, .bytes = bytes});
    offset += (bytes + 2 * kPageBytes - 1) / kPageBytes * kPageBytes;
  };
  for (const Arena& arena : observed.arenas) {
    Argument argument;
    argument.name = arena.name;
    argument.kind = ArgumentKind::inout;
    argument.dtype = Dtype::u8;
    argument.shape = {arena.bytes};
    argument.strides = {1};
    executable.problem.arguments.push_back(std::move(argument));
    place(arena.name, arena.bytes);
  }
  for (const Arena& arena : observed.arenas) place(kSeenPrefix + arena.name, arena.bytes);
  executable.layout.bytes = offset;
  return executable;
}

void fill(const Executable& executable, const ObservedLaunch& observed, const SharedMemory& image) {
  for (const Arena& arena : observed.arenas) {
    if (!arena.content) continue;
    const auto bytes = std::min<std::size_t>(arena.content->size(), static_cast<std::size_t>(arena.bytes));
    std::memcpy(image.bytes().data() + find_buffer(executable.layout, arena.name)->offset, arena.content->data(),
                bytes);
  }
}

/// Calls `body(offset in the buffer, bytes)` for the parts of a buffer that have memory at all.
template <typename Body>
void for_each_part(const SharedMemory& image, const ImageBuffer& buffer, Body body) {
  const off_t end = buffer.offset + buffer.bytes;
  for (off_t at = buffer.offset; at < end;) {
    const off_t data = lseek(image.descriptor(), at, SEEK_DATA);
    if (data < 0 || data >= end) return;
    off_t hole = lseek(image.descriptor(), data, SEEK_HOLE);
    hole = hole < 0 ? end : std::min(hole, end);
    body(data - buffer.offset,
         image.bytes().subspan(static_cast<std::size_t>(data), static_cast<std::size_t>(hole - data)));
    at = hole;
  }
}

ArenaSeen read_seen(const Executable& executable, const std::string& name, const SharedMemory& image) {
  ArenaSeen seen;
  std::int64_t last = -1;
  bool open = false;  // the last part is; behind the first few thousand none is any more
  const auto note = [](std::int64_t at, std::int64_t& begin, std::int64_t& end, std::int64_t& count) {
    if (count++ == 0) begin = at;
    end = at + 1;
  };
  for_each_part(image, *find_buffer(executable.layout, kSeenPrefix + name),
                [&](std::int64_t first, std::span<const std::byte> part) {
                  for (std::size_t i = 0; i < part.size(); ++i) {
                    const auto bits = static_cast<unsigned>(part[i]);
                    if (bits == 0) continue;
                    const std::int64_t at = first + static_cast<std::int64_t>(i);
                    if (at > last + 1 || seen.parts.empty()) {
                      open = seen.parts.size() < kMostParts;
                      if (open) seen.parts.emplace_back(at, at);
                    }
                    if (open) seen.parts.back().second = at + 1;
                    last = at;
                    if (bits & touch_read) note(at, seen.read_begin, seen.read_end, seen.read);
                    if (bits & touch_written) note(at, seen.write_begin, seen.write_end, seen.written);
                    seen.read_first += (bits & touch_read_first) != 0;
                    seen.atomic += (bits & touch_atomic) != 0;
                  }
                });
  const std::int64_t end = std::min(std::max(seen.read_end, seen.write_end), kMostAfter);
  const std::byte* const data = image.bytes().data() + find_buffer(executable.layout, name)->offset;
  seen.after.assign(data, data + end);
  return seen;
}

class WorkerObserver : public Observer {
 public:
  WorkerObserver(const DeviceKind& kind, const Target& target, std::function<bool()> stop)
      : kind_(kind), target_(target), stop_(std::move(stop)), builders_(target, 2) {}

  BuildResult build(BuildSpec spec) override {
    return builders_.submit(kind_.checked_build(std::move(spec)), true).get();
  }

  std::vector<Observation> run(const Artifact& artifact, const std::vector<ObservedLaunch>& launches) override {
    std::vector<Observation> all(launches.size());
    const std::size_t lanes = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMostRunners);
    std::vector<std::future<void>> running;
    for (std::size_t lane = 0; lane < std::min(lanes, launches.size()); ++lane)
      running.push_back(std::async(std::launch::async, [&, lane] {
        std::vector<std::size_t> own;
        for (std::size_t i = lane; i < launches.size(); i += lanes) own.push_back(i);
        for (std::size_t first = 0; first < own.size(); first += kImagesAtOnce)
          run_some(artifact, launches, std::span(own).subspan(first, std::min(kImagesAtOnce, own.size() - first)), all);
      }));
    for (std::future<void>& run : running) run.get();
    return all;
  }

 private:
  static constexpr int kMostEndless = 2;  // of one call's launches in a runner: each costs its deadline

  /// Those of the launches that `chosen` names, one after another in a runner of their own.
  void run_some(const Artifact& artifact, const std::vector<ObservedLaunch>& launches,
                std::span<const std::size_t> chosen, std::vector<Observation>& all) {
    std::vector<Executable> executables;
    std::vector<SharedMemory> images;
    for (const std::size_t number : chosen) {
      executables.push_back(executable_of(artifact, launches[number]));
      images.emplace_back(static_cast<std::size_t>(executables.back().layout.bytes));
      fill(executables.back(), launches[number], images.back());
    }
    std::vector<Contender> contenders;
    for (std::size_t i = 0; i < executables.size(); ++i)
      contenders.push_back({&executables[i], {&images[i]}, {}, true});
    Runner runner(target_, stop_);
    std::optional<RunnerFailure> lost = runner.prepare(contenders, kPrepareDeadline);
    int endless = 0;
    for (std::size_t i = 0; i < executables.size(); ++i) {
      if (!lost && !runner.alive()) lost = runner.prepare(contenders, kPrepareDeadline);  // a launch took it along
      Observation& observation = all[chosen[i]];
      if (endless == kMostEndless) {
        observation.failure = "it was not tried: those before it did not end";
        observation.endless = true;
        for (const Arena& arena : launches[chosen[i]].arenas) observation.arenas[arena.name];
        continue;
      }
      std::optional<std::vector<RawFinding>> raw;
      const auto failure = lost ? lost : runner.run(i, 0, launches[chosen[i]].deadline_s, &raw);
      if (failure && failure->kind == RunnerFailure::Kind::environment) throw environment_error(failure->detail);
      if (failure) observation.failure = failure->detail.empty() ? "it did not end" : failure->detail;
      // Where a person stops the program, nothing that follows ends either.
      observation.endless = failure && (failure->kind == RunnerFailure::Kind::timed_out ||
                                        failure->kind == RunnerFailure::Kind::interrupted);
      if (observation.endless) ++endless;
      if (raw) add_findings(executables[i], *raw, observation);
      for (const Arena& arena : launches[chosen[i]].arenas)
        observation.arenas[arena.name] = read_seen(executables[i], arena.name, images[i]);
    }
  }

  void add_findings(const Executable& executable, const std::vector<RawFinding>& raw, Observation& observation) const {
    std::vector<std::uint64_t> sites;
    for (const RawFinding& finding : raw) sites.insert(sites.end(), finding.sites.begin(), finding.sites.end());
    for (const Finding& finding : describe_findings(raw, kind_.source_lines(executable.artifact, sites)))
      if (finding.kind == "out_of_bounds") observation.findings.push_back(finding.message);
      else if (finding.kind == "inactive_lane") observation.hints.push_back(finding.message);
  }

  const DeviceKind& kind_;
  Target target_;
  std::function<bool()> stop_;
  Builders builders_;
};

}  // namespace

std::unique_ptr<Observer> make_observer(const DeviceKind& kind, const Target& target, std::function<bool()> stop) {
  return std::make_unique<WorkerObserver>(kind, target, std::move(stop));
}

}  // namespace harness
