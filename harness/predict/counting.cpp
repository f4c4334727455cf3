#include "harness/predict/counting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "harness/core/error.h"
#include "harness/core/gpu.h"
#include "harness/core/hash.h"
#include "harness/predict/executed_code.h"

namespace harness {
namespace {

/// The grids that the plan has on the GPU: what a launch leaves to the device is decided here. Gives CountedRun::drawn.
std::map<std::int64_t, double> fill_grids(Executable& executable, const GpuFacts& gpu,
                                          const std::map<std::string, EntryResources>& machine) {
  std::map<std::int64_t, double> drawn;
  for (std::size_t i = 0; i < executable.plan.steps.size(); ++i)
    if (auto* launch = std::get_if<Launch>(&executable.plan.steps[i]); launch != nullptr && launch->resident > 0) {
      const int blocks = std::max(1, blocks_at_once(gpu, block_needs(*launch, executable.artifact, machine)));
      const double whole = launch->grid.x;
      launch->grid = blocks_that_fit(*launch, static_cast<std::uint64_t>(blocks) * gpu.multiprocessors);
      launch->resident = 0;
      drawn[static_cast<std::int64_t>(i)] = whole / launch->grid.x;
    }
  return drawn;
}

void refuse_libraries(const Realized& realized) {
  if (std::ranges::any_of(realized.plan.steps,
                          [](const Step& step) { return std::holds_alternative<LibraryCall>(step); }))
    throw bad_input(fmt::format("{} {} calls a library, whose kernels cannot be counted; profile another variant",
                                realized.candidate.kernel, realized.candidate.variant));
}

/// All blocks of all launches but the last one run.
bool runs_uncounted_blocks(const Plan& plan) {
  return std::ranges::count_if(plan.steps, [](const Step& step) { return std::holds_alternative<Launch>(step); }) > 1;
}

/// Whether the machine code has atomic operations, and none of them tells what it found.
bool only_adds(const CountedRun& run, const CountedLaunch& launch) {
  const auto& steps = run.executable->plan.steps;
  const auto* step = std::get_if<Launch>(&steps.at(static_cast<std::size_t>(launch.step)));
  const auto code = step == nullptr ? run.code.end() : run.code.find(step->entry);
  if (code == run.code.end()) return false;
  const auto atomics = compiled_atomics(code->second, run.own_files);
  return !atomics.empty() && std::ranges::none_of(atomics, [](const auto& line) { return line.second.answered; });
}

/// Blocks that meet cannot be left out: who waits for one of them would wait for ever, or miss what it leaves. And what
/// they find depends on who came first, which is the same everywhere only where they take turns. Who only adds finds
/// nothing.
bool order_matters(const CountedRun& run) {
  return std::ranges::any_of(run.launches, [&](const CountedLaunch& launch) {
    return launch.blocks > 1 && (launch.blocks_meet || (launch.atomics && !only_adds(run, launch)));
  });
}

/// An access of a lane takes some 10 ns where it is counted, and code between accesses a few times what it takes
/// plainly.
double seconds_of_all(const std::vector<CountedLaunch>& launches, double launch_s) {
  constexpr double kAccess = 1.5e-8, kSlower = 4;
  double accesses = 0;
  for (const CountedLaunch& launch : launches)
    for (const CountedPlace& place : launch.places) accesses += static_cast<double>(place.counts[Count::memory_lanes]);
  return accesses * kAccess + launch_s * kSlower;
}

std::string wrong_on(CountedSubject& subject, const ProfileRequest& request, const Admission* admission,
                     const std::string& form) {
  subject.draw_anew(form);
  subject.run({request.blocks, true, 0});
  const std::string wrong = subject.judge(admission);
  return wrong.empty() ? "" : form + ": " + wrong;
}

std::vector<std::uint64_t> sites_of(const std::vector<CountedLaunch>& launches) {
  std::vector<std::uint64_t> sites;
  for (const CountedLaunch& launch : launches)
    for (const CountedPlace& place : launch.places) sites.push_back(place.site);
  return sites;
}

std::string identity(const Realized& realized, const std::string& gpu) {
  return sha256_hex(json_text(realized.build) + json_text(realized.plan) + realized.problem.contract_hash +
                    realized.problem.workload.name + gpu);
}

}  // namespace

void Counting::announce(const Realized& realized, const std::string& gpu) {
  workers_->announce(realized, find_gpu(gpu).architecture, runs_uncounted_blocks(realized.plan), false);
}

std::optional<double> Counting::predicted_before(const Realized& realized, const std::string& gpu) const {
  const auto predicted = predicted_.find(identity(realized, gpu));
  return predicted == predicted_.end() ? std::nullopt : std::optional(predicted->second);
}

std::unique_ptr<CountedSubject> Counting::subject_of(const Realized& realized, const GpuFacts& gpu, GpuBuild& build) {
  refuse_libraries(realized);
  const bool plain = runs_uncounted_blocks(realized.plan);
  workers_->announce(realized, gpu.architecture, plain, true);
  build = workers_->build_for_gpu(realized.build, gpu.architecture);
  return workers_->prepare(realized, plain);
}

/// All that is known of a run before it.
CountedRun Counting::prepared(const Realized& realized, const GpuFacts& gpu, const GpuBuild& build,
                              CountedSubject& subject) {
  CountedRun counted;
  counted.code = build.code;
  for (const EntryResources& entry : build.entries) counted.machine[entry.entry] = entry;
  counted.executable = &subject.executable();
  counted.drawn = fill_grids(subject.executable(), gpu, counted.machine);
  for (const SourceFile& source : realized.sources)
    counted.own_files.insert(source.name.substr(source.name.rfind('/') + 1));
  return counted;
}

Profile Counting::count(const Realized& realized, const ProfileRequest& request) {
  const GpuFacts& gpu = find_gpu(request.gpu);
  GpuBuild build;
  const auto subject = subject_of(realized, gpu, build);
  CountedRun counted = prepared(realized, gpu, build, *subject);
  assert(request.blocks > 0);
  counted.launches = subject->run({request.blocks, false, 0});
  // A block that was left out may be one that another waits for: then all of them run.
  if (counted.launches.empty() || order_matters(counted)) counted.launches = subject->run({request.blocks, true, 0});
  counted.lines = subject->source_lines(sites_of(counted.launches));
  Profile profile = counted_profile(counted, gpu);
  profile.why = "counted on the cpu device, which sees every access; " +
                (build.missing.empty() ? fmt::format("registers, spills and instructions from {}", build.compiler)
                                       : build.missing);
  profile.numbers.push_back({"launches", static_cast<double>(profile.launches.size())});
  profile.numbers.push_back({"multiprocessors", static_cast<double>(gpu.multiprocessors)});
  if (const auto ns = profile.number("predicted_ns")) predicted_[identity(realized, request.gpu)] = *ns;
  return profile;
}

SecondCount Counting::count_elsewhere(const Realized& realized, const ProfileRequest& request,
                                      const Admission* admission, const std::vector<std::string>& forms, double seconds,
                                      double launch_s) {
  const GpuFacts& gpu = find_gpu(request.gpu);
  GpuBuild build;
  const auto subject = subject_of(realized, gpu, build);
  CountedRun counted = prepared(realized, gpu, build, *subject);
  subject->draw_anew("nominal");
  SecondCount second;
  counted.launches = subject->run({request.blocks, false, 0});
  const bool all = counted.launches.empty() || order_matters(counted);
  const double each_s = seconds_of_all(counted.launches, launch_s);
  if (all || each_s <= seconds) {
    counted.launches = subject->run({request.blocks, true, 0});
    second.wrong = subject->judge(admission);
  }
  counted.lines = subject->source_lines(sites_of(counted.launches));
  second.predicted_ns = counted_profile(counted, gpu).number("predicted_ns").value_or(0);
  for (const std::string& form : forms) {
    if (!second.wrong || !second.wrong->empty() || (second.forms.size() + 2) * each_s > seconds) break;
    second.wrong = wrong_on(*subject, request, admission, form);
    if (second.wrong->empty()) second.forms.push_back(form);
  }
  return second;
}

std::string Counting::wrong_where_counted(const Realized& realized, const ProfileRequest& request,
                                          const Admission* admission, const std::vector<std::string>& forms) {
  GpuBuild build;
  const auto subject = subject_of(realized, find_gpu(request.gpu), build);
  for (const std::string& form : forms)
    if (std::string wrong = wrong_on(*subject, request, admission, form); !wrong.empty()) return wrong;
  return "";
}

}  // namespace harness
