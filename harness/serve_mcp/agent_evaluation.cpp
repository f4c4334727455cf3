#include "harness/serve_mcp/agent_evaluation.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/campaign/gatekeeper.h"
#include "harness/core/error.h"
#include "harness/core/iteration_json.h"
#include "harness/core/secrets.h"
#include "harness/core/torch_call.h"
#include "harness/report/events.h"
#include "harness/report/live_row.h"
#include "harness/serve_mcp/agent_candidate.h"
#include "harness/serve_mcp/agent_gpu_size.h"
#include "harness/serve_mcp/agent_ladder.h"
#include "harness/serve_mcp/times.h"
#include "harness/serve_mcp/veil.h"
#include "harness/serve_mcp/workshop.h"
#include "harness/service/arguments.h"
#include "harness/service/asked_candidate.h"
#include "harness/service/candidate_digest.h"
#include "harness/service/first_kernel.h"

namespace harness {
namespace {

using mcp::Answer;

constexpr std::size_t kLongestRowError = 300;

/// One evaluation of a session, with all that it needs.
struct Bench {
  Catalog& catalog;  // with the edited source in its place
  Catalog& own;      // as the plugin folders have it
  Evaluator& evaluator;
  Ledger& ledger;
  const Admission& admission;
  Display& readers;
  std::int64_t campaign;
  std::string workload;
};

Realized realized_now(Candidate candidate, Catalog& catalog, const std::string& workload, const DeviceInfo& device) {
  candidate.technique = variant_of(catalog.kernel(candidate.kernel), candidate.variant).technique;
  return realize(std::move(candidate), workload, catalog, device);
}

struct Recorded {
  AttemptRecord attempt;
  Evaluation evaluation;
  std::int64_t iteration = 0;
};

Recorded record(const Bench& bench, AttemptRecord attempt, EvaluationRequest request) {
  const std::int64_t id = bench.ledger.begin_attempt(attempt);
  bench.readers.begun({id, &attempt});
  request.admission = &bench.admission;
  request.confirm = true;
  Evaluation evaluation = bench.evaluator.evaluate(request);
  const std::int64_t iteration = bench.ledger.end_attempt(id, evaluation, false);
  bench.readers.iteration(
      {iteration, attempt, &evaluation, std::nullopt, bench.evaluator.device().device, false, false, id});
  return {std::move(attempt), std::move(evaluation), iteration};
}

AttemptRecord attempt_at(const Bench& bench, const Realized& realized, Purpose purpose) {
  return {
      bench.campaign, 0, realized.candidate, bench.workload, realized.problem.contract_hash, realized.source_hash, 0,
      purpose};
}

struct Best {
  double time_ns = 0, speedup = 1;
};

Realized baseline_of(const Bench& bench, const std::string& kernel) {
  const std::string& name = first_kernel_of(bench.own.kernel(kernel)).name;
  return realized_now({kernel, name, "", {}}, bench.own, bench.workload, bench.evaluator.device());
}

/// The session's own time of the kernel's baseline on the workload, measured now where there is none.
std::optional<Incumbent> incumbent(const Bench& bench, const Realized& baseline) {
  for (const IterationSummary& each : bench.ledger.iterations(bench.campaign))
    if (each.source_hash == baseline.source_hash && each.workload == bench.workload && each.time_ns &&
        each.contract_hash == baseline.problem.contract_hash && each.candidate.config == baseline.candidate.config)
      return Incumbent{baseline, *each.time_ns, 1.0};
  const Recorded made = record(bench, attempt_at(bench, baseline, Purpose::baseline),
                               gated_request(bench.own, bench.evaluator, baseline, Points::finalist));
  if (const Timing* const timing = timing_of(made.evaluation.outcome)) return Incumbent{baseline, timing->time_ns, 1.0};
  return std::nullopt;
}

/// The session's fastest on the workload but `but`, by its ratio to the baseline that was timed beside it.
std::optional<Best> session_best(const Bench& bench, const std::string& kernel, std::int64_t but) {
  std::optional<Best> best;
  for (const IterationSummary& each : bench.ledger.iterations(bench.campaign))
    if (each.iteration != but && each.candidate.kernel == kernel && each.workload == bench.workload &&
        each.outcome == OutcomeKind::passed && each.time_ns)
      if (const Best found{*each.time_ns, each.speedup.value_or(1)}; !best || found.speedup > best->speedup)
        best = found;
  return best;
}

/// A prediction tells two candidates apart by no less than a few percent; a measurement by its noise.
std::string verdict_over(double best, double speedup, bool emulation) {
  const double margin = emulation ? 0.05 : 0.01;
  if (speedup > best * (1 + margin)) return "faster";
  return speedup < best / (1 + margin) ? "slower" : "same";
}

std::string next_step(const Evaluation& evaluation, bool is_best) {
  switch (kind_of(evaluation.outcome)) {
    case OutcomeKind::passed:
      return is_best ? "this is the session's best: adopt it when you are done, or build on it"
                     : "it is right, but not the best: note why, and try another idea";
    case OutcomeKind::compile_error:
      return "mend what error_of_candidate says, and evaluate again";
    case OutcomeKind::no_effect:
      return "its machine code is the same as that of same_as: change more than words";
    case OutcomeKind::interrupted:
      return "it was stopped; budget says why";
    default:
      return "mend it: error_of_candidate says where it went wrong; similar_attempts with its fingerprint";
  }
}

Answer answer_of(const Bench& bench, const Recorded& made, const std::optional<Incumbent>& beside, Archive& archive) {
  const DeviceInfo device = bench.evaluator.device();
  const json row =
      iteration_json(made.attempt, made.evaluation, made.iteration, false, nullptr, device.device, Detail::full);
  Answer answer = {{"ok", true}};
  answer.update(mcp::veiled_iteration(row));
  const auto best = session_best(bench, made.attempt.candidate.kernel, made.iteration);
  const Timing* const timing = timing_of(made.evaluation.outcome);
  const bool passed = kind_of(made.evaluation.outcome) == OutcomeKind::passed;
  const double speedup = row.value("speedup", json()).is_number() ? row["speedup"].get<double>() : 1;
  const bool is_best = passed && timing != nullptr && (!best || speedup > best->speedup);
  if (beside && !answer.contains("baseline_ns")) answer["baseline_ns"] = beside->time_ns;
  answer["is_best"] = is_best;
  // The baseline was timed beside it; what decides is the session's best.
  if (answer.contains("verdict")) answer["verdict_over_baseline"] = answer["verdict"];
  if (passed) answer["verdict"] = best ? verdict_over(best->speedup, speedup, device.emulation) : "first";
  if (best) answer["best_ns"] = is_best ? timing->time_ns : best->time_ns;
  answer["emulation"] = device.emulation;
  if (const auto* wrong = std::get_if<WrongAnswer>(&made.evaluation.outcome))
    answer["fingerprint"] = wrong->fingerprint;
  if (const auto* same = std::get_if<NoEffect>(&made.evaluation.outcome)) {
    const json twin = archive.history().iteration(same->same_as_iteration, false);
    answer["same_as"] = same->same_as_iteration;
    answer["twin"] = mcp::with_kind_of_times({{"outcome", twin.value("outcome", json())},
                                              {"time_ns", twin.value("time_ns", json())},
                                              {"variant", twin.value("variant", json())},
                                              {"label", twin.value("label", json())}},
                                             device.device, device.emulation);
  }
  answer["cost_s"] = made.evaluation.cost.wall_s;
  answer["lasting"] = kind_of(made.evaluation.outcome) != OutcomeKind::interrupted;
  answer["next"] = next_step(made.evaluation, is_best);
  return mcp::with_kind_of_times(answer, device.device, device.emulation);
}

/// For the readers of its events: a job begins where its session has come to.
CampaignStarted session_started(const AgentSession& session) {
  CampaignStarted event;
  event.campaign = session.campaign;
  event.record.budget_s = session.budget_s;
  event.record.max_cost_usd = session.max_cost_usd;
  event.resumed = true;
  event.ahead = {{"looking up what the device and the gates are", std::nullopt}};
  return event;
}

}  // namespace

namespace {

/// The candidate that a job asks about, before the baseline of its kernel.
struct Evaluating {
  const AgentJob& job;
  const AgentSession& session;
  const JobStop& stop;
  const AgentCandidate& asked;
  const Bench& bench;
  const Realized& base;
  const std::optional<Incumbent>& beside;  // nothing: what is evaluated is the baseline
  Archive& archive;
  Shell& shell;
};

/// What it was made of: the fastest of the variant that the job names, as the session has evaluated it.
std::optional<DigestParent> parent_of(const Evaluating& now, std::int64_t but) {
  const std::string variant = now.job.request.at("variant");
  std::optional<IterationSummary> fastest;
  for (const IterationSummary& each : now.bench.ledger.iterations(now.session.campaign))
    if (each.iteration != but && each.candidate.variant == variant && each.workload == now.bench.workload &&
        each.candidate.kernel == now.asked.candidate.kernel && each.outcome == OutcomeKind::passed && each.time_ns &&
        (!fastest || *each.time_ns < *fastest->time_ns))
      fastest = each;
  if (!fastest) return std::nullopt;
  DigestParent parent{fmt::format("{} (iteration {})", variant, fastest->iteration), *fastest->time_ns, {}};
  for (ProfileRecord& record : now.bench.ledger.profiles(now.session.campaign))
    if (record.iteration == fastest->iteration) parent.profile = std::move(record.profile);
  return parent;
}

/// What limits it and what may help, in words; the profile that says so is recorded. "" where nothing here counts it.
std::string digest_of(const Evaluating& now, const Recorded& made, const Realized& realized) {
  const Timing* const timing = timing_of(made.evaluation.outcome);
  if (timing == nullptr) return "";
  const DeviceInfo device = now.bench.evaluator.device();
  DigestAsked asked{nullptr, realized.problem.work, device, timing->time_ns, parent_of(now, made.iteration)};
  std::optional<Profile> profile;
  try {
    profile = counted_for_agent(realized, now.session, now.stop, now.shell);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::bad_input) throw;
  }
  if (profile) {
    now.bench.ledger.record_profile(made.iteration, *profile);
    asked.profile = &*profile;
  }
  return candidate_digest(asked, now.shell);
}

/// Which of two is faster at the size that a GPU is timed at is what counts; at a size for gates, launches decide.
void judge_by_gpu_size(const GpuSize& size, Answer& answer) {
  answer["gpu_size"] = size.answer;
  if (!size.best_before_ns) return;
  const double ns = size.answer.at("predicted_ns");
  answer["verdict"] = verdict_over(1, *size.best_before_ns / ns, true);
  answer["verdict_of"] = size.answer["workload"];
  answer["is_best"] = ns < *size.best_before_ns;
  answer["next"] = answer["is_best"] == true ? "the session's best: build on it, or adopt it when you are done"
                                             : "right, but not the best: note why, and try another idea";
}

/// One set of values, evaluated and told in full.
Answer evaluated(const Evaluating& now, Config config) {
  Candidate candidate = now.asked.candidate;
  candidate.config = std::move(config);
  const Realized realized = realized_candidate(now.job, now.asked, std::move(candidate), now.bench.evaluator.device());
  AttemptRecord attempt = attempt_at(now.bench, realized, now.beside ? Purpose::eval : Purpose::baseline);
  if (now.job.request.contains("label")) attempt.label = now.job.request["label"].get<std::string>();
  attempt.parent = now.asked.parent;
  EvaluationRequest request = gated_request(now.bench.catalog, now.bench.evaluator, realized, Points::finalist);
  request.incumbent = now.beside;
  if (now.beside) {
    request.baseline_ns = now.beside->time_ns;
    request.recorded_with = [&](const std::string& hash) {
      return now.bench.ledger.same_binary(now.session.campaign, now.bench.workload, hash);
    };
  }
  const Recorded made = record(now.bench, std::move(attempt), std::move(request));
  Answer answer = answer_of(now.bench, made, now.beside, now.archive);
  answer["is_baseline"] = !now.beside;
  if (kind_of(made.evaluation.outcome) != OutcomeKind::passed) return answer;
  if (now.asked.first) {
    keep_first_kernel(*now.asked.own, realized.candidate.kernel, now.job.request.at("source"));
    answer["next"] = "it is written: the kernel has a baseline now, and others are held against it";
  }
  const auto count = [&](const Realized& counted) {
    return counted_for_agent(counted, now.session, now.stop, now.shell);
  };
  const auto size =
      at_gpu_size(now.job, now.asked, realized.candidate, now.bench.evaluator.device(), count, now.archive, now.shell);
  if (size) judge_by_gpu_size(*size, answer);
  if (const std::string digest = size ? size->digest : digest_of(now, made, realized); !digest.empty())
    answer["digest"] = digest;
  return answer;
}

/// What of a set's answer stands in the list of all sets.
Answer short_row(const Answer& answer) {
  Answer row = Answer::object();
  for (const char* key : {"config", "outcome", "speedup", "time_ns", "predicted_ns", "emulated_ns", "iteration"})
    if (answer.contains(key)) row[key] = answer[key];
  if (answer.contains("gpu_size")) row["at_gpu_size_ns"] = answer["gpu_size"]["predicted_ns"];
  if (answer.contains("error_of_candidate"))
    row["error"] = answer["error_of_candidate"].value("message", "").substr(0, kLongestRowError);
  return row;
}

/// By which sets are ranked, where they passed: at a GPU's size, if that is known.
double speed_of(const Answer& answer) {
  if (!answer.value("passed", false)) return 0;
  if (answer.contains("gpu_size")) return 1 / std::max(1.0, answer["gpu_size"]["predicted_ns"].get<double>());
  return answer.value("speedup", 1.0);
}

/// The fastest of all sets in full, with a line for each of them. A set that is not valid ends nothing.
Answer evaluated_sets(const Evaluating& now, const std::vector<Config>& sets) {
  Answer best, rows = Answer::array();
  double fastest = 0;
  for (const Config& config : sets) {
    if (now.stop()) break;
    try {
      Answer answer = evaluated(now, config);
      rows.push_back(short_row(answer));
      const double speed = speed_of(answer);
      if (best.is_null() || speed > fastest) best = std::move(answer), fastest = speed;
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::bad_input) throw;
      rows.push_back({{"config", config_to_json(config)}, {"error", error.what()}});
    }
  }
  if (best.is_null() && !now.stop()) throw bad_input(rows.at(0).at("error").get<std::string>());
  if (best.is_object()) best["evaluated"] = std::move(rows);
  return best;
}

}  // namespace

mcp::Answer evaluate_for_agent(const AgentJob& job, const std::string& program_hash, const AgentSession& session,
                               const JobStop& stop, Archive& archive, Shell& shell) {
  Places places = shell.places();
  report::LiveRowWriter row([&shell] { return open_live(shell); });
  row.started(session_started(session));
  places.on_phase = [&row](const EvaluationPhase& phase) { row.phase(phase); };
  const std::string kernel = job.request.at("kernel");
  if (const std::string changed = mcp::judge_changed(
          session.judge, mcp::judge_now(*shell.rooms.catalog(places), program_hash), kernel, session.name);
      !changed.empty())
    throw bad_input(changed);
  const DeviceInfo device = choose_device(session.device, shell.rooms.devices(places));
  Ledger& ledger = archive.ledger();
  const AgentCandidate asked = agent_candidate(job, session, device, ledger, places, shell);
  Catalog &own = *asked.own, &edited = *asked.edited;
  const std::string& workload = asked.workload;
  const Realized realized = realized_candidate(job, asked, first_candidate(job, asked), device);
  const auto evaluator = shell.rooms.evaluator(places, device, std::nullopt, [&stop] { return stop(); });
  evaluator->use_peaks(known_peaks(*evaluator, ledger));
  const auto admission = known_admission(own, *evaluator, ledger, kernel);
  if (!admission) return nullptr;
  if (!admission->passed) throw bad_input(without_secrets(refusal(*admission)));
  const Bench bench{edited, own, *evaluator, ledger, *admission, row, session.campaign, workload};
  const Realized base = baseline_of(bench, kernel);
  const std::vector<Config> sets = asked_sets(job);
  const bool is_base = realized.source_hash == base.source_hash && sets.size() == 1 &&
                       realized.candidate.config == base.candidate.config;
  const auto beside = is_base ? std::nullopt : incumbent(bench, base);
  if (stop()) return nullptr;
  const Evaluating now{job, session, stop, asked, bench, base, beside, archive, shell};
  return sets.size() == 1 ? evaluated(now, sets.front()) : evaluated_sets(now, sets);
}

mcp::Answer campaign_answer(const CampaignSummary& summary, const DeviceInfo& device) {
  const bool broken = summary.reason == EndReason::script_error || summary.reason == EndReason::device_lost ||
                      summary.reason == EndReason::store_error;
  Answer answer = {{"ok", !broken}, {"campaign", summary.campaign}};
  if (broken) answer["error"] = {{"kind", "campaign"}, {"message", summary.message}};
  const json event = report::finished_json(summary);
  for (const char* key : {"reason", "iterations", "outcomes", "best", "spent_s"}) answer[key] = event[key];
  for (Answer& row : answer["best"]) row = mcp::with_kind_of_times(row, device.device, device.emulation);
  answer["next"] = "best shows what won; harness://report/CAMPAIGN has all of it";
  return answer;
}

}  // namespace harness
