#include "harness/evaluate/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/core/abandon.h"
#include "harness/core/floor.h"
#include "harness/core/torch_call.h"
#include "harness/evaluate/launches.h"
#include "harness/evaluate/measure.h"
#include "harness/evaluate/pair_by_record.h"
#include "harness/evaluate/predicted_timing.h"
#include "harness/evaluate/statistics.h"

namespace harness {
namespace {

// Draws that timing takes turns with where inputs are structured, so that a device cannot draw them anew by itself; of
// large ones two, which already exceed any L2.
constexpr std::size_t kTimingDraws = 3, kLargeTimingDraws = 2;
constexpr std::int64_t kLargeImage = 64 << 20;
// Timed calls of each CallKind whose results the judge sees.
constexpr std::size_t kJudgedInSearch = 1, kJudgedOfFinalist = 3;

std::size_t random_below(std::size_t n) {
  return static_cast<std::size_t>(fresh_seed() % n);
}

// Whether every input that is drawn can be drawn anew by a device, or is the same in every draw.
bool draws_by_itself(const Subject& subject) {
  return std::ranges::all_of(subject.problem().arguments, [&](const Argument& a) {
    const bool drawn = (a.kind == ArgumentKind::input || a.kind == ArgumentKind::inout) && !a.absent;
    const ImageBuffer* const buffer = drawn ? find_buffer(subject.executable.layout, a.name) : nullptr;
    return buffer == nullptr || buffer->draw.has_value() || buffer->constant;
  });
}

std::size_t timing_draws(const Subject& subject) {
  if (draws_by_itself(subject)) return 1;
  return subject.executable.layout.bytes > kLargeImage ? kLargeTimingDraws : kTimingDraws;
}

// No drift of clocks between two runs comes near this factor: what is known of the incumbent tells as much as another
// launch of it, and a slow one costs seconds that the search needs.
constexpr double kFarApart = 3;
// A confirmation launches what is no slower than this all the same: a stranger who loaded the device while the baseline
// was timed would else have made every speedup.
constexpr double kLaunchedToConfirm_ns = 10e6;

// On the card of this evaluation, as far as that is known.
double recorded_ns(const Incumbent& incumbent) {
  return incumbent.alone_ns > 0 ? incumbent.alone_ns : incumbent.time_ns;
}

bool is_far_ahead(const EvaluationRun& run, double ns) {
  if (!run.request.incumbent || ns <= 0) return false;
  const double recorded = recorded_ns(*run.request.incumbent);
  return kFarApart * ns < recorded && !(run.request.confirm && recorded <= kLaunchedToConfirm_ns);
}

std::optional<Subject> incumbent_subject(EvaluationRun& run) {
  if (!run.request.incumbent) return std::nullopt;
  const BuildResult result = run.workers.await(run.request.incumbent->realized.build);
  const auto* artifact = std::get_if<Artifact>(&result);
  if (artifact == nullptr) return std::nullopt;  // its cache entry went and it no longer builds: time alone
  Subject subject = run.workers.make_subject(run.request.incumbent->realized, *artifact, run.request.admission);
  subject.trusted = run.subject.trusted;
  return subject;
}

/// Besides the policy's time: at least some thirty launches of each contender, cold and warm ones included, and as many
/// again whose results are compared with theirs.
double timing_limit_s(const EvaluationRun& run, const TimingPolicy& policy) {
  const double torch = torch_start_s(run.request.realized.plan) +
                       (run.request.incumbent ? torch_start_s(run.request.incumbent->realized.plan) : 0);
  return run.workers.limits.run_s + policy.max_s * 8 + 120 * run.launch_s + torch;
}

Settled measure_on_device(EvaluationRun& run, Subject* incumbent, const TimingPolicy& policy, Audit audit,
                          TimedRun& timed) {
  std::vector<Subject*> subjects{&run.subject};
  if (incumbent != nullptr) subjects.push_back(incumbent);
  for (Subject* subject : subjects) {
    for (std::size_t i = 0; i < timing_draws(*subject); ++i) {
      if (subject == &run.subject) run.paint(*subject, i);
      else run.workers.paint(*subject, i);
    }
  }
  std::vector<Contender> contenders = contenders_of(subjects);
  timed.places.clear();
  const std::size_t kinds = audit == Audit::kept ? 3 : 0;
  for (std::size_t i = 0; i < kinds * (run.request.confirm ? kJudgedOfFinalist : kJudgedInSearch); ++i)
    timed.places.push_back(run.workers.make_image(run.subject.image_bytes()));
  for (const SharedMemory& place : timed.places) contenders[0].places.push_back(&place);
  const double limit = timing_limit_s(run, policy);
  if (auto failure = run.workers.runner.prepare(contenders, run.workers.limits.run_s))
    return to_outcome(*failure, "timing", run.workers.limits.run_s);
  const auto failure = run.workers.runner.time(policy, limit, timed.samples);
  if (!failure) return std::nullopt;
  // A candidate is not blamed for its incumbent: only what it does alone counts.
  if (incumbent != nullptr && failure->kind != RunnerFailure::Kind::interrupted)
    return measure_on_device(run, nullptr, policy, audit, timed);
  return to_outcome(*failure, "timing", limit);
}

// Before every timed run the image gets other inputs, fresh poison and clean workspaces, at one of two addresses; what
// one of the runs left, chosen as they go by so that nobody can know which, is judged.
class CandidateTurns {
 public:
  CandidateTurns(EvaluationRun& run, TimedRun& timed) : run_(run), timed_(timed) {
    for (std::size_t i = 0; i < kTimingDraws; ++i) {
      run.paint(run.subject, 0);
      const auto bytes = run.subject.images[0].bytes();
      draws_.push_back(run.subject.draws[0]);
      pristine_.emplace_back(bytes.begin(), bytes.end());
    }
  }
  Turns turns() {
    return {&run_.workers.runner, [this] { return before(); }, [this](std::size_t image) { after(image); }};
  }

 private:
  std::size_t before() {
    const std::size_t image = random_below(run_.subject.images.size());
    drawn_ = random_below(pristine_.size());
    std::memcpy(run_.subject.images[image].bytes().data(), pristine_[drawn_].data(), pristine_[drawn_].size());
    return image;
  }
  void after(std::size_t image) {
    if (random_below(++runs_) != 0) return;
    const auto bytes = run_.subject.images[image].bytes();
    timed_.copy.assign(bytes.begin(), bytes.end());
    timed_.copy_draw = draws_[drawn_];
  }

  EvaluationRun& run_;
  TimedRun& timed_;
  std::vector<std::vector<std::byte>> pristine_;
  std::vector<DrawId> draws_;
  std::size_t drawn_ = 0, runs_ = 0;
};

Settled measure_by_turns(EvaluationRun& run, Subject* incumbent, const TimingPolicy& policy, TimedRun& timed) {
  CandidateTurns candidate(run, timed);
  std::vector<Turns> turns{candidate.turns()};
  std::vector<std::byte> other;
  if (incumbent != nullptr) {
    run.workers.paint(*incumbent, 0);
    const auto bytes = incumbent->images[0].bytes();
    other.assign(bytes.begin(), bytes.end());
    Runner& second = run.workers.runner_beside();
    if (!second.prepare(contenders_of({incumbent}), run.workers.limits.run_s))  // else it is timed alone
      turns.push_back({&second,
                       [&other, incumbent] {
                         std::memcpy(incumbent->images[0].bytes().data(), other.data(), other.size());
                         return std::size_t{0};
                       },
                       [](std::size_t) {}});
  }
  const auto trouble = time_by_turns(turns, policy, run.deadline(), timed.samples);
  if (!trouble) return std::nullopt;
  if (trouble->contender == 0) return to_outcome(trouble->failure, "timing", run.deadline());
  return measure_by_turns(run, nullptr, policy, timed);  // the incumbent's fault is not this candidate's
}

Timing describe(const EvaluationRun& run, const std::vector<Samples>& samples) {
  const ProcessSpread spread = run.workers.device.emulation ? kProcessSpreadCpu : kProcessSpreadGpu;
  const auto& incumbent = run.request.incumbent;
  Timing timing =
      timing_of_samples(samples, spread, run.request.baseline_ns, incumbent ? incumbent->speedup : std::nullopt);
  if (const int others = samples[0].foreign_processes; others > 0)  // the record shows it with the time
    timing.samples.method +=
        fmt::format("; DISTURBED: {} other process{} used the device", others, others == 1 ? "" : "es");
  timing.emulation = run.workers.device.emulation;
  if (const auto floor = floor_ns(run.request.realized.problem.work, run.workers.device)) timing.floor_ns = floor->ns;
  if (samples.size() < 2 && is_far_ahead(run, timing.time_hi_ns)) {
    timing.incumbent_ns = recorded_ns(*incumbent);
    timing.verdict = Comparison::faster;
    timing.samples.method += fmt::format("; not beside the incumbent, whose recorded time is {:.3g} times this one's",
                                         *timing.incumbent_ns / timing.time_ns);
  }
  return timing;
}

Settled measure_beside(EvaluationRun& run, Subject* incumbent, Audit audit, TimedRun& timed) {
  const auto hold = run.hold_device(&StageCosts::timing_s);
  // On the cpu device compilers would take the cores that are timed.
  const auto quiet = run.workers.native() ? run.workers.builders.pause_speculative() : nullptr;
  const Limits& limits = run.workers.limits;
  TimingPolicy policy = run.request.confirm ? limits.confirm : audit == Audit::none ? limits.screen : limits.search;
  if (!run.request.confirm) policy.abandon_factor = run.request.abandon_factor;
  timed.samples.clear();
  const Settled settled = run.workers.native() ? measure_by_turns(run, incumbent, policy, timed)
                                               : measure_on_device(run, incumbent, policy, audit, timed);
  if (settled) return settled;
  timed.timing = describe(run, timed.samples);
  if (timed.samples.size() < 2) return std::nullopt;
  const std::vector<double>&own = timed.samples[0].rotating_ns, &others = timed.samples[1].rotating_ns;
  if (clearly_slower(own, others, policy.abandon_factor))
    return Abandoned{abandon_threshold(others, policy.abandon_factor), timed.timing.time_ns};
  return std::nullopt;
}

Settled time_incumbent(EvaluationRun& run, Subject& incumbent, std::vector<Samples>& samples) {
  WorkerPool& workers = run.workers;
  const auto hold = workers.hold_device();
  const TimingPolicy& policy = workers.limits.search;
  for (std::size_t i = 0; i < timing_draws(incumbent); ++i) workers.paint(incumbent, i);
  if (!workers.native()) {
    const double limit = timing_limit_s(run, policy);
    if (auto failure = workers.runner.prepare(contenders_of({&incumbent}), workers.limits.run_s))
      return to_outcome(*failure, "timing", workers.limits.run_s);
    const auto failure = workers.runner.time(policy, limit, samples);
    return failure ? Settled(to_outcome(*failure, "timing", limit)) : std::nullopt;
  }
  const auto quiet = workers.builders.pause_speculative();
  Runner& second = workers.runner_beside();
  if (auto failure = second.prepare(contenders_of({&incumbent}), workers.limits.run_s))
    return to_outcome(*failure, "timing", workers.limits.run_s);
  const std::vector<Turns> turns{{&second, [] { return std::size_t{0}; }, [](std::size_t) {}}};
  const auto trouble = time_by_turns(turns, policy, run.deadline(), samples);
  return trouble ? Settled(to_outcome(trouble->failure, "timing", run.deadline())) : std::nullopt;
}

// Where a candidate has run, it may have left something behind. Native code never runs in the runner itself.
void restart_runner(EvaluationRun& run) {
  if (!run.workers.native()) run.workers.runner.kill();
}

/// Seconds of it are a calibration's, and none of this candidate's.
std::optional<double> time_alone(EvaluationRun& run, Subject& incumbent) {
  double seconds = 0;
  std::vector<Samples> samples;
  Settled trouble;
  {
    const Charge charge(seconds);
    restart_runner(run);
    trouble = time_incumbent(run, incumbent, samples);
  }
  run.evaluation.calibration_s += seconds;
  run.evaluation.cost.timing_s -= seconds;
  if (trouble || samples.empty() || samples.front().rotating_ns.empty()) return std::nullopt;
  return estimate(samples.front().rotating_ns, {}).median;
}

Settled measure_by_record(EvaluationRun& run, Subject& incumbent, Audit audit, TimedRun& timed) {
  PairByRecord by_record;
  bool candidate_is_loaded = false;
  by_record.pair = [&](Timing& timing) {
    candidate_is_loaded = true;
    Settled settled = measure_beside(run, &incumbent, audit, timed);
    timing = timed.timing;
    return settled;
  };
  by_record.alone = [&] {
    candidate_is_loaded = false;
    return time_alone(run, incumbent);
  };
  by_record.restart = [&] { restart_runner(run); };
  by_record.tolerance = run.workers.device.emulation ? kRecordToleranceEmulated : kRecordTolerance;
  by_record.alone_ns = run.evaluation.incumbent_alone_ns.value_or(run.request.incumbent->alone_ns);
  Timing timing;
  Settled settled = by_record.time(timing);
  if (!settled) timed.timing = timing;
  if (by_record.alone_ns > 0) run.evaluation.incumbent_alone_ns = by_record.alone_ns;
  if (!by_record.said.empty()) run.add({"incumbent", true, by_record.said, false});
  if (candidate_is_loaded || settled || run.workers.native()) return settled;
  if (auto failure = run.workers.runner.prepare(contenders_of({&run.subject}), run.workers.limits.run_s))
    return to_outcome(*failure, "timing", run.workers.limits.run_s);
  return settled;
}

// Of the judged one; where the device has no clock for it, with its transfers.
double launch_ns(const EvaluationRun& run) {
  const bool measured = !run.launches_ns.empty() && run.launches_ns.front() > 0;
  return measured ? run.launches_ns.front() : run.launch_s * 1e9;
}

}  // namespace

Timing timing_of_launches(const EvaluationRun& run) {
  Samples samples;
  samples.rotating_ns = run.launches_ns;
  samples.calls_per_sample = samples.input_sets = 1;
  samples.method =
      run.launches_ns.size() == 1
          ? "a single launch, which was judged"
          : fmt::format("{} single launches, one of them judged, the others on its inputs{}", run.launches_ns.size(),
                        run.subject.problem().deterministic ? " and with its bits" : "");
  return describe(run, {samples});
}

Settled measure(EvaluationRun& run, Audit audit, TimedRun& timed) {
  if (run.workers.native() && calls_torch(run.request.realized.plan)) return not_timed_here(run);
  if (predicts_times(run)) return predict_timing(run, timed.timing);
  const Charge charge(run.evaluation.cost.timing_s);
  // A timed launch takes no longer than the judged one did: if it does, the incumbent is launched after all.
  if (is_far_ahead(run, launch_ns(run))) {
    const Settled settled = measure_beside(run, nullptr, audit, timed);
    if (settled || timed.timing.verdict) return settled;
  }
  std::optional<Subject> incumbent = incumbent_subject(run);
  if (incumbent && run.request.incumbent->by_record) return measure_by_record(run, *incumbent, audit, timed);
  return measure_beside(run, incumbent ? &*incumbent : nullptr, audit, timed);
}

}  // namespace harness
