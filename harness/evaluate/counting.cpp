#include "harness/evaluate/counting.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "harness/core/error.h"
#include "harness/core/gpu_model.h"
#include "harness/core/hash.h"
#include "harness/evaluate/counted_profile.h"
#include "harness/evaluate/executed_code.h"

namespace harness {
namespace {

constexpr double kCountingDeadline = 60;         // s, of one run
constexpr std::uint64_t kDrawSeed = 0x70726f66;  // inputs are the same everywhere, and so are the counts

/// The grids that the plan has on the GPU: what a launch leaves to the device is decided here. Gives CountedRun::drawn.
std::map<std::int64_t, double> fill_grids(Executable& executable, const GpuModel& gpu,
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

Artifact built(WorkerPool& workers, const BuildSpec& spec) {
  const BuildResult result = workers.await(spec);
  if (const auto* failure = std::get_if<CompileFailure>(&result))
    throw bad_input(
        fmt::format("{} does not compile for counting: {}", spec.source_name, failure->log.substr(0, 2000)));
  return std::get<Artifact>(result);
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
  workers_.builders.submit(workers_.kind.checked_build(realized.build), false);
  if (runs_uncounted_blocks(realized.plan)) workers_.builders.submit(realized.build, false);
  const Offline& offline = offline_for(std::string(find_gpu_model(gpu).architecture));
  if (offline.builders) offline.builders->submit(realized.build, false);
}

std::optional<double> Counting::predicted_before(const Realized& realized, const std::string& gpu) const {
  const auto known = predicted_.find(identity(realized, gpu));
  return known == predicted_.end() ? std::nullopt : std::optional(known->second);
}

Profile Counting::count(const Realized& realized, const ProfileRequest& request) {
  const GpuModel& gpu = find_gpu_model(request.gpu);
  refuse_libraries(realized);
  const BuildSpec spec = workers_.kind.checked_build(realized.build);
  workers_.builders.submit(spec, true);
  if (runs_uncounted_blocks(realized.plan)) workers_.builders.submit(realized.build, true);
  std::string why = "counted on the cpu device, which sees every access";
  CountedRun counted;
  compile_for_gpu(realized.build, std::string(gpu.architecture), counted, why);
  const Artifact artifact = built(workers_, spec);
  Subject subject = workers_.make_subject(realized, artifact, nullptr);
  if (runs_uncounted_blocks(realized.plan)) subject.executable.plain = built(workers_, realized.build);
  subject.trusted = workers_.build_trusted(realized);
  counted.drawn = fill_grids(subject.executable, gpu, counted.machine);
  for (const SourceFile& source : realized.sources)
    counted.own_files.insert(source.name.substr(source.name.rfind('/') + 1));
  counted.executable = &subject.executable;
  counted.launches = run(subject, {request.blocks, false});
  if (counted.launches.empty() || order_matters(counted)) counted.launches = run(subject, {request.blocks, true});
  counted.lines = workers_.kind.source_lines(artifact, sites_of(counted.launches));
  Profile profile = counted_profile(counted, gpu);
  profile.why = why;
  profile.numbers.push_back({"launches", static_cast<double>(profile.launches.size())});
  profile.numbers.push_back({"multiprocessors", static_cast<double>(gpu.multiprocessors)});
  if (const auto ns = profile.number("predicted_ns")) predicted_[identity(realized, request.gpu)] = *ns;
  return profile;
}

// With run_all false, a failure may come from the blocks that were left out: the answer is then empty.
std::vector<CountedLaunch> Counting::run(Subject& subject, CountingRequest request) {
  subject.images.clear();
  subject.images.push_back(workers_.make_image(subject.image_bytes()));
  subject.draws = {{kDrawSeed, "nominal"}};
  workers_.repaint(subject, 0);
  subject.executable.counting = request;
  const Contender contender{&subject.executable, {&subject.images[0]}, {}, true};
  std::vector<CountedLaunch> launches;
  auto failure = runner_.prepare({contender}, kCountingDeadline);
  if (!failure) failure = runner_.count(0, 0, kCountingDeadline, launches);
  if (!failure) return launches;
  if (failure->kind == RunnerFailure::Kind::interrupted) throw InterruptedWork{};
  if (failure->kind == RunnerFailure::Kind::environment) throw environment_error(failure->detail);
  if (!request.run_all) return {};
  const std::string detail = failure->kind == RunnerFailure::Kind::timed_out
                                 ? fmt::format("it did not end within {:g} s", kCountingDeadline)
                                 : failure->detail;
  throw bad_input(fmt::format("the run that was to be counted failed: {}; 'harness eval' says what is wrong", detail));
}

Counting::Offline& Counting::offline_for(const std::string& architecture) {
  const auto [known, is_new] = compilers_.try_emplace(architecture);
  if (!is_new) return known->second;
  if (const auto compiler = find_compiler_ ? find_compiler_(architecture) : std::nullopt)
    known->second = {compiler->kind, std::make_unique<Builders>(compiler->target, 1)};
  return known->second;
}

void Counting::compile_for_gpu(const BuildSpec& build, const std::string& architecture, CountedRun& run,
                               std::string& why) {
  const Offline& offline = offline_for(architecture);
  if (!offline.builders) {
    why += "; there is no NVRTC here, so registers, spills, instructions and what they limit are left out";
    return;
  }
  const Builders::Result result = offline.builders->submit(build, true);
  while (result.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready)
    if (workers_.stop && workers_.stop()) throw InterruptedWork{};
  if (const auto* failure = std::get_if<CompileFailure>(&result.get())) {
    why += fmt::format(
        "; it does not compile for {}, so registers, spills, instructions and what they limit are left "
        "out: {}",
        architecture, failure->log.substr(0, failure->log.find('\n')));
    return;
  }
  const Artifact& artifact = std::get<Artifact>(result.get());
  for (const EntryResources& entry : artifact.entries) run.machine[entry.entry] = entry;
  run.code = offline.kind->machine_code(artifact);
  why += fmt::format("; registers, spills and instructions from {}", artifact.compiler);
}

}  // namespace harness
