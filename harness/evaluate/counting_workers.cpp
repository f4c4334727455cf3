#include "harness/evaluate/counting_workers.h"

#include <fmt/format.h>

#include <chrono>

#include "harness/core/error.h"
#include "harness/judge/verdict.h"

namespace harness {
namespace {

constexpr double kCountingDeadline = 60;  // s, of one run: the instrumented code is a hundred times slower

Artifact built(WorkerPool& workers, const BuildSpec& spec) {
  const BuildResult result = workers.await(spec);
  if (const auto* failure = std::get_if<CompileFailure>(&result))
    throw bad_input(
        fmt::format("{} does not compile for counting: {}", spec.source_name, failure->log.substr(0, 2000)));
  return std::get<Artifact>(result);
}

class WorkersSubject : public CountedSubject {
 public:
  WorkersSubject(WorkerPool& workers, Runner& runner, Subject subject, std::uint64_t seed)
      : workers_(workers), runner_(runner), subject_(std::move(subject)), seed_(seed) {}

  Executable& executable() override { return subject_.executable; }

  void draw_anew(const std::string& form) override {
    seed_ = fresh_seed();
    form_ = form;
  }

  std::vector<CountedLaunch> run(const CountingRequest& request) override {
    subject_.images.clear();
    subject_.images.push_back(workers_.make_image(subject_.image_bytes()));
    subject_.draws = {{seed_, form_}};
    workers_.repaint(subject_, 0);
    subject_.executable.counting = request;
    subject_.executable.counting->seed = seed_;
    const Contender contender{&subject_.executable, {&subject_.images[0]}, {}, true};
    std::vector<CountedLaunch> launches;
    auto failure = runner_.prepare({contender}, kCountingDeadline);
    if (!failure) failure = runner_.count(0, 0, kCountingDeadline, launches);
    if (!failure) return launches;
    if (failure->kind == RunnerFailure::Kind::interrupted) throw InterruptedWork{};
    if (failure->kind == RunnerFailure::Kind::environment) throw environment_error(failure->detail);
    if (!request.run_all) return {};  // it may come from the blocks that were left out
    const std::string detail = failure->kind == RunnerFailure::Kind::timed_out
                                   ? fmt::format("it did not end within {:g} s", kCountingDeadline)
                                   : failure->detail;
    throw bad_input(
        fmt::format("the run that was to be counted failed: {}; 'harness eval' says what is wrong", detail));
  }

  std::string judge(const Admission* admission) override {
    Executable judged = subject_.executable;
    judged.problem = with_tolerances(judged.problem, admission, form_);
    const SharedMemory copy = subject_.images.at(0).copy();
    const Verdict verdict = workers_.judge.verdict(judged, subject_.trusted, subject_.draws.at(0), copy);
    const GateResult* const failed = first_failed(verdict.gates);
    return failed == nullptr ? "" : failed->name + ": " + failed->detail;
  }

  std::map<std::uint64_t, std::string> source_lines(const std::vector<std::uint64_t>& sites) override {
    return workers_.kind.source_lines(subject_.executable.artifact, sites);
  }

 private:
  WorkerPool& workers_;
  Runner& runner_;
  Subject subject_;
  std::uint64_t seed_;
  std::string form_ = "nominal";
};

class PoolCountingWorkers : public CountingWorkers {
 public:
  PoolCountingWorkers(WorkerPool& workers, FindOfflineCompiler find_compiler)
      : workers_(workers), find_compiler_(std::move(find_compiler)), runner_(workers.target, workers.stop) {}

  void announce(const Realized& realized, const std::string& architecture, bool plain, bool urgent) override {
    workers_.builders.submit(workers_.kind.checked_build(realized.build), urgent);
    if (plain) workers_.builders.submit(realized.build, urgent);
    const Offline& offline = offline_for(architecture);
    if (offline.builders) offline.builders->submit(realized.build, urgent);
  }

  std::unique_ptr<CountedSubject> prepare(const Realized& realized, bool plain) override {
    const Artifact artifact = built(workers_, workers_.kind.checked_build(realized.build));
    Subject subject = workers_.make_subject(realized, artifact, nullptr);
    if (plain) subject.executable.plain = built(workers_, realized.build);
    subject.trusted = workers_.build_trusted(realized);
    return std::make_unique<WorkersSubject>(workers_, runner_, std::move(subject), seed_);
  }

  GpuBuild build_for_gpu(const BuildSpec& build, const std::string& architecture) override {
    GpuBuild answer;
    const Offline& offline = offline_for(architecture);
    if (!offline.builders) {
      answer.missing = "there is no NVRTC here, so registers, spills, instructions and what they limit are left out";
      return answer;
    }
    const Builders::Result result = offline.builders->submit(build, true);
    while (result.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready)
      if (workers_.stop && workers_.stop()) throw InterruptedWork{};
    if (const auto* failure = std::get_if<CompileFailure>(&result.get())) {
      answer.missing = fmt::format(
          "it does not compile for {}, so registers, spills, instructions and what they limit are left out: {}",
          architecture, failure->log.substr(0, failure->log.find('\n')));
      return answer;
    }
    const Artifact& artifact = std::get<Artifact>(result.get());
    answer.entries = artifact.entries;
    answer.code = offline.kind->machine_code(artifact);
    answer.compiler = artifact.compiler;
    return answer;
  }

  void start_afresh() override { runner_.kill(); }

 private:
  /// The compiler of one of the GPUs' architectures.
  struct Offline {
    const DeviceKind* kind = nullptr;
    std::unique_ptr<Builders> builders;  // null: there is none here
  };

  Offline& offline_for(const std::string& architecture) {
    const auto [entry, is_new] = compilers_.try_emplace(architecture);
    if (!is_new) return entry->second;
    if (const auto compiler = find_compiler_ ? find_compiler_(architecture) : std::nullopt)
      entry->second = {compiler->kind, std::make_unique<Builders>(compiler->target, 1)};
    return entry->second;
  }

  WorkerPool& workers_;
  FindOfflineCompiler find_compiler_;
  Runner runner_;
  // Of all counted inputs of this process: times can be compared, and no candidate can know what it is counted on.
  std::uint64_t seed_ = fresh_seed();
  std::map<std::string, Offline> compilers_;  // by architecture
};

}  // namespace

std::unique_ptr<CountingWorkers> counting_workers(WorkerPool& workers, FindOfflineCompiler find_compiler) {
  return std::make_unique<PoolCountingWorkers>(workers, std::move(find_compiler));
}

}  // namespace harness
