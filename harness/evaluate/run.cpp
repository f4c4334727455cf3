#include "harness/evaluate/run.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>

#include "harness/core/error.h"
#include "harness/evaluate/gates.h"
#include "harness/evaluate/measure.h"
#include "harness/judge/custom.h"
#include "harness/judge/floor.h"
#include "harness/judge/layout.h"
#include "harness/judge/reference.h"
#include "harness/judge/verdict.h"

namespace harness {
namespace {

// Input draws a timing rotates over; the device copies them to as many addresses as exceed its L2.
constexpr std::size_t kTimingDraws = 3;
// Images larger than this are not multiplied: one draw is already larger than any L2.
constexpr std::int64_t kLargeImage = 64 << 20;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::uint64_t fresh_seed() {
  std::uint64_t seed = 0;
  if (getrandom(&seed, sizeof seed, 0) != sizeof seed) throw environment_error("the system gives no random numbers");
  return seed >> 1;  // fits a signed 64-bit column
}

/// Adds the seconds between its birth and its end to a stage.
class Charge {
 public:
  explicit Charge(double& stage) : stage_(stage), begin_(seconds()) {}
  ~Charge() { stage_ += seconds() - begin_; }

 private:
  double& stage_;
  double begin_;
};

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw bad_input(fmt::format("{}: cannot be read", path));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Trusted code may include what the kernel's variants may.
BuildSpec reference_build(const Realized& realized) {
  const Problem& problem = realized.problem;
  BuildSpec spec = judge::make_reference_job(problem, read_text(problem.reference.source)).spec;
  spec.source_name = fmt::format("kernels/{}/reference.cu", problem.kernel);
  spec.include_dirs.insert(spec.include_dirs.end(), realized.build.include_dirs.begin(),
                           realized.build.include_dirs.end());
  return spec;
}

}  // namespace

Limits default_limits(const DeviceInfo& device) {
  Limits limits;
  if (device.emulation) {
    limits.search = {.noise = 0.05, .max_s = 0.3, .burst_s = 0, .pause_s = 0, .min_samples = 3, .cold = false};
    limits.confirm = {.noise = 0.02, .max_s = 1.0, .burst_s = 0, .pause_s = 0, .min_samples = 7, .cold = false};
    return limits;
  }
  limits.run_s = 5;
  limits.search = {.noise = 0.005, .max_s = 0.15, .burst_s = 0.02, .pause_s = 0.005, .min_samples = 12, .cold = true};
  limits.confirm = {.noise = 0.002, .max_s = 1.0, .burst_s = 0.02, .pause_s = 0.02, .min_samples = 30, .cold = true};
  return limits;
}

EvaluationRun::EvaluationRun(const EvaluationRequest& request, RunSettings settings, Builders& builders, Judge& judge,
                             Runner& runner)
    : request_(request), settings_(std::move(settings)), builders_(builders), judge_(judge), runner_(runner) {
  evaluation_.contract_hash = request.realized.problem.contract_hash;
  evaluation_.source_hash = request.realized.source_hash;
  evaluation_.source_text = request.realized.build.source;
}

Evaluation EvaluationRun::finish() {
  const double begin = seconds();
  try {
    evaluation_.outcome = steps();
  } catch (const InterruptedWork&) {
    evaluation_.outcome = Interrupted{};
  }
  evaluation_.cost.wall_s = seconds() - begin;
  return std::move(evaluation_);
}

Outcome EvaluationRun::steps() {
  if (Settled settled = build()) return *settled;
  if (Settled settled = gate_statically()) return *settled;
  if (Settled settled = gate_launch("")) return *settled;
  Outcome passed = Passed{};
  if (Settled settled = measure(passed)) return *settled;
  if (Settled settled = gate_launch(" after timing")) return *settled;
  return passed;
}

BuildResult EvaluationRun::await(const BuildSpec& spec) {
  const Builders::Result result = builders_.submit(spec, true);
  while (result.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready)
    if (settings_.stop && settings_.stop()) throw InterruptedWork{};
  return result.get();
}

EvaluationRun::Settled EvaluationRun::build() {
  const Charge charge(evaluation_.cost.build_s);
  builders_.submit(reference_build(request_.realized), true);
  const BuildResult result = await(request_.realized.build);
  if (const auto* failure = std::get_if<CompileFailure>(&result)) {
    evaluation_.log = failure->log;
    return CompileError{failure->log};
  }
  artifact_ = std::get<Artifact>(result);
  evaluation_.log = artifact_.log;
  evaluation_.compiler = artifact_.compiler;
  evaluation_.from_cache = artifact_.from_cache;
  evaluation_.resources = heaviest_entry(artifact_);
  evaluation_.binary_hash = binary_identity(artifact_, request_.realized.plan);
  if (request_.recorded_with)
    if (const std::int64_t same = request_.recorded_with(evaluation_.binary_hash); same > 0) return NoEffect{same};
  side_.trusted = build_trusted(request_.realized);
  return std::nullopt;
}

Judge::Trusted EvaluationRun::build_trusted(const Realized& realized) {
  Judge::Trusted trusted;
  const auto build_one = [&](const BuildSpec& spec) {
    const BuildResult result = await(spec);
    if (const auto* failure = std::get_if<CompileFailure>(&result))
      throw bad_input(fmt::format("{} does not compile; mend it: {}", spec.source_name, failure->log.substr(0, 2000)));
    return std::get<Artifact>(result);
  };
  trusted.reference = build_one(reference_build(realized));
  for (const std::string& path : judge::custom_sources(realized.problem)) {
    BuildSpec spec = judge::custom_build(realized.problem, path, read_text(path));
    spec.include_dirs.insert(spec.include_dirs.end(), realized.build.include_dirs.begin(),
                             realized.build.include_dirs.end());
    trusted.custom[path] = build_one(spec);
  }
  return trusted;
}

EvaluationRun::Settled EvaluationRun::gate_statically() {
  const Charge charge(evaluation_.cost.gates_s);
  evaluation_.gates.push_back({"compile", true, artifact_.compiler + (artifact_.from_cache ? ", from the cache" : "")});
  evaluation_.gates.push_back(check_arguments(request_.realized, artifact_));
  if (!evaluation_.gates.back().passed) return Rejected{"arguments", evaluation_.gates.back().detail};
  evaluation_.gates.push_back(check_resources(request_.realized, artifact_, settings_.device));
  if (!evaluation_.gates.back().passed) return LaunchError{evaluation_.gates.back().detail};
  Side side = make_side(request_.realized, artifact_);
  side.trusted = std::move(side_.trusted);
  side_ = std::move(side);
  const std::int64_t limit = settings_.device.memory_bytes / 4;
  if (limit > 0 && side_.executable.layout.bytes > limit)
    return OutOfMemory{fmt::format("its buffers take {} bytes; at most {} (a quarter of the device's memory) are given",
                                   side_.executable.layout.bytes, limit)};
  return std::nullopt;
}

EvaluationRun::Side EvaluationRun::make_side(const Realized& realized, const Artifact& artifact) {
  Side side;
  side.executable = {artifact, realized.plan, realized.problem, judge::make_layout(realized.problem, realized.plan)};
  return side;
}

void EvaluationRun::paint(Side& side, std::size_t image, bool keep) {
  while (side.images.size() <= image) side.images.emplace_back(static_cast<std::size_t>(side.executable.layout.bytes));
  const std::uint64_t seed = fresh_seed();
  judge_.paint(side.executable, side.trusted, seed, keep, side.images[image]);
  if (keep) side.seed = seed;
  if (&side == &side_) evaluation_.seeds.push_back(seed);
}

double EvaluationRun::deadline() const {
  const auto best = request_.incumbent ? std::optional(request_.incumbent->time_ns) : request_.baseline_ns;
  constexpr double kImageBytesPerSecond = 1e9;  // to the device and back, at the least
  return run_deadline(settings_.limits, best) +
         static_cast<double>(side_.executable.layout.bytes) / kImageBytesPerSecond;
}

EvaluationRun::Settled EvaluationRun::gate_launch(const std::string& suffix) {
  const Charge charge(evaluation_.cost.gates_s);
  paint(side_, 0, true);
  // After timing, the very process that was timed is judged: code that works once a process, or that answered before it
  // had worked, is found out.
  if (suffix.empty()) {
    if (is_cpu(settings_.target)) runner_.kill();  // native code: a process per candidate
    if (auto failure = runner_.prepare({{&side_.executable, {&side_.images[0]}}}, settings_.limits.run_s))
      return to_outcome(*failure, "launch", settings_.limits.run_s);
  }
  const double begin = seconds();
  if (auto failure = runner_.run(0, 0, deadline())) return to_outcome(*failure, "launch", deadline());
  launch_s_ = seconds() - begin;
  if (is_cpu(settings_.target)) runner_.kill();  // it must not touch the image while the judge reads it
  Verdict verdict = judge_.verdict(side_.executable, side_.trusted, side_.seed, side_.images[0]);
  for (GateResult& gate : verdict.gates) {
    gate.name += suffix;
    evaluation_.gates.push_back(gate);
  }
  evaluation_.errors = verdict.errors;
  if (verdict.passed()) return std::nullopt;
  const auto failed =
      std::find_if(verdict.gates.begin(), verdict.gates.end(), [](const auto& gate) { return !gate.passed; });
  return WrongAnswer{failed->name + ": " + failed->detail, verdict.first_bad, judge::fingerprint(verdict)};
}

std::optional<EvaluationRun::Side> EvaluationRun::incumbent_side() {
  if (!request_.incumbent) return std::nullopt;
  const BuildResult result = await(request_.incumbent->realized.build);
  const auto* artifact = std::get_if<Artifact>(&result);
  if (artifact == nullptr) return std::nullopt;  // its cache entry went and it no longer builds: time alone
  Side side = make_side(request_.incumbent->realized, *artifact);
  side.trusted = side_.trusted;
  return side;
}

EvaluationRun::Settled EvaluationRun::measure(Outcome& passed) {
  const Charge charge(evaluation_.cost.timing_s);
  std::optional<Side> incumbent = incumbent_side();
  const TimingPolicy& policy = request_.confirm ? settings_.limits.confirm : settings_.limits.search;
  std::vector<Samples> samples;
  Side* other = incumbent ? &*incumbent : nullptr;
  const Settled settled =
      is_cpu(settings_.target) ? measure_by_turns(other, policy, samples) : measure_on_device(other, policy, samples);
  if (settled) return settled;
  passed = Passed{describe(samples)};
  return std::nullopt;
}

EvaluationRun::Settled EvaluationRun::measure_on_device(Side* incumbent, const TimingPolicy& policy,
                                                        std::vector<Samples>& samples) {
  std::vector<Contender> contenders;
  for (Side* side : {&side_, incumbent}) {
    if (side == nullptr) continue;
    const std::size_t draws = side->executable.layout.bytes > kLargeImage ? 1 : kTimingDraws;
    Contender contender{&side->executable, {}};
    for (std::size_t i = 0; i < draws; ++i) paint(*side, i, false);
    for (std::size_t i = 0; i < draws; ++i) contender.images.push_back(&side->images[i]);
    contenders.push_back(contender);
  }
  // Besides the policy's time: at least some thirty launches of each contender, cold and warm ones included.
  const double limit = settings_.limits.run_s + policy.max_s * 4 + 60 * launch_s_;
  if (auto failure = runner_.prepare(contenders, settings_.limits.run_s))
    return to_outcome(*failure, "timing", settings_.limits.run_s);
  const auto failure = runner_.time(policy, limit, samples);
  if (!failure) return std::nullopt;
  // A candidate is not blamed for its incumbent: only what it does alone counts.
  if (incumbent != nullptr && failure->kind != RunnerFailure::Kind::interrupted)
    return measure_on_device(nullptr, policy, samples);
  return to_outcome(*failure, "timing", limit);
}

EvaluationRun::Settled EvaluationRun::measure_by_turns(Side* incumbent, const TimingPolicy& policy,
                                                       std::vector<Samples>& samples) {
  Runner second(settings_.target, settings_.stop);
  std::vector<Runner*> runners;
  std::vector<std::function<void()>> restore;
  for (Side* side : {&side_, incumbent}) {
    if (side == nullptr) continue;
    Runner* runner = side == &side_ ? &runner_ : &second;
    runner->kill();  // before its image is painted anew
    paint(*side, 0, false);
    if (auto failure = runner->prepare({{&side->executable, {&side->images[0]}}}, settings_.limits.run_s)) {
      if (side == incumbent) continue;  // timed alone
      return to_outcome(*failure, "timing", settings_.limits.run_s);
    }
    const auto bytes = side->images[0].bytes();
    side->pristine.assign(bytes.begin(), bytes.end());
    runners.push_back(runner);
    restore.push_back([side] {
      for (const ImageBuffer& buffer : side->executable.layout.buffers)
        if (buffer.restored)
          std::memcpy(side->images[0].bytes().data() + buffer.offset, side->pristine.data() + buffer.offset,
                      static_cast<std::size_t>(buffer.bytes));
    });
  }
  const auto trouble = time_by_turns(runners, restore, policy, deadline(), samples);
  if (!trouble) return std::nullopt;
  if (trouble->contender == 0) return to_outcome(trouble->failure, "timing", deadline());
  return measure_by_turns(nullptr, policy, samples);  // the incumbent's fault is not this candidate's
}

Timing EvaluationRun::describe(const std::vector<Samples>& samples) const {
  const double spread = settings_.device.emulation ? kProcessSpreadCpu : kProcessSpreadGpu;
  Timing timing;
  const Estimate own = estimate(samples[0].rotating_ns, spread);
  timing.time_ns = own.median;
  timing.time_lo_ns = own.lo;
  timing.time_hi_ns = own.hi;
  timing.samples = samples[0];
  timing.emulation = settings_.device.emulation;
  if (!samples[0].cold_ns.empty()) timing.cold_ns = estimate(samples[0].cold_ns, 0).median;
  if (!samples[0].warm_ns.empty()) timing.warm_ns = estimate(samples[0].warm_ns, 0).median;
  if (const auto floor = judge::floor_ns(request_.realized.problem.work, settings_.device)) timing.floor_ns = floor->ns;
  std::optional<Estimate> baseline;
  if (request_.baseline_ns) baseline = Estimate{*request_.baseline_ns, *request_.baseline_ns, *request_.baseline_ns};
  if (samples.size() > 1) {
    const Estimate other = estimate(samples[1].rotating_ns, spread);
    timing.incumbent_ns = other.median;
    timing.verdict = compare(own, other);
    // Measured in this very run: what the host's speed does meanwhile happens to both.
    if (const auto known = request_.incumbent->speedup)
      baseline = Estimate{other.median * *known, other.lo * *known, other.hi * *known};
  }
  if (baseline) {
    timing.baseline_ns = baseline->median;
    timing.speedup = baseline->median / own.median;
    timing.speedup_lo = baseline->lo / own.hi;
    timing.speedup_hi = baseline->hi / own.lo;
  }
  return timing;
}

}  // namespace harness
