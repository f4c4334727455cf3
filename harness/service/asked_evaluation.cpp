#include "harness/service/asked_evaluation.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/campaign/gatekeeper.h"
#include "harness/core/controls.h"
#include "harness/core/error.h"
#include "harness/core/torch_call.h"
#include "harness/service/edited_source.h"
#include "harness/service/fitness.h"
#include "harness/service/new_problem.h"
#include "harness/service/single_evaluation.h"
#include "harness/system/awake_clock.h"
#include "harness/system/cache_limit.h"
#include "harness/system/interrupt.h"

namespace harness {
namespace {

/// A variant need not do every workload of the default set; without any the first one says why.
void leave_out_impossible(std::vector<std::string>& workloads, const Candidate& candidate, Catalog& catalog,
                          const DeviceInfo& device, const Shell& shell) {
  std::vector<std::string> possible;
  for (const std::string& each : workloads)
    if (catalog.plugin(candidate.kernel).has_configuration(candidate.variant, each, device)) possible.push_back(each);
  if (possible.empty()) return;
  for (const std::string& each : workloads)
    if (std::ranges::find(possible, each) == possible.end())
      shell.note(fmt::format("{} {} is not valid on {}, which is left out", candidate.kernel, candidate.variant, each));
  workloads = std::move(possible);
}

std::vector<std::string> prepared_workloads(const EvaluationAsked& asked, AskedCandidate& wanted, Catalog& catalog,
                                            const DeviceInfo& device, const Shell& shell) {
  Candidate& candidate = wanted.candidate;
  candidate.technique = variant_of(catalog.kernel(candidate.kernel), candidate.variant).technique;
  std::vector<std::string> workloads = asked_workloads(wanted, asked.workloads, catalog, device);
  if (asked.workloads.empty() && wanted.workload.empty())
    leave_out_impossible(workloads, candidate, catalog, device, shell);
  for (const std::string& each : workloads)
    catalog.plugin(candidate.kernel).default_config(candidate.variant, each, device, candidate.config);
  use_edited(wanted, workloads, catalog, device);
  return workloads;
}

/// One control after the other on what has passed; what gains stays, and in the end it meets all gates. Whether that
/// passed.
bool try_controls(const EvaluatedPoint& begin, const EvaluationPlace& place, const EvaluationWatch& watch) {
  const auto realized_with = [&](const Config& config) {
    Candidate candidate = begin.realized.candidate;
    candidate.config = config;
    return place.catalog.plugin(candidate.kernel)
        .realize(candidate, begin.realized.problem.workload.name, place.evaluator.device());
  };
  const auto attempt_of = [&](const Realized& realized) {
    AttemptRecord attempt = begin.attempt;
    attempt.candidate = realized.candidate;
    return attempt;
  };
  std::vector<Realized> ahead;
  for (const Control& control : known_controls())
    ahead.push_back(realized_with(with_control(begin.realized.candidate.config, control.option)));
  place.evaluator.prepare(ahead);
  Incumbent best{begin.realized, timing_of(begin.evaluation.outcome)->time_ns, {}};
  for (const Control& control : known_controls()) {
    if (interrupted()) return true;
    Realized realized = realized_with(with_control(best.realized.candidate.config, control.option));
    watch.begun(fmt::format("{} with {}", begin.realized.candidate.variant, control.option));
    AttemptRecord attempt = attempt_of(realized);
    const EvaluatedPoint point = evaluate_one(std::move(realized), std::move(attempt), place, {best, false});
    watch.ended(point);
    const Timing* const timing = timing_of(point.evaluation.outcome);
    if (point.passed() && timing->verdict == Comparison::faster) best = {point.realized, timing->time_ns, {}};
  }
  if (to_text(best.realized.candidate.config) == to_text(begin.realized.candidate.config)) return true;
  AttemptRecord attempt = attempt_of(best.realized);
  const EvaluatedPoint last = evaluate_one(std::move(best.realized), std::move(attempt), place);
  watch.ended(last);
  return last.passed();
}

}  // namespace

std::optional<bool> evaluate_asked(const EvaluationAsked& asked, const Places& places, Shell& shell,
                                   const EvaluationWatch& watch) {
  const auto catalog = shell.rooms.catalog(places);
  if (asked.label) check_label(*asked.label);
  AskedCandidate wanted = asked_candidate(asked.words, *catalog, shell);
  const Candidate& candidate = wanted.candidate;
  const bool torch = calls_torch(variant_of(catalog->kernel(candidate.kernel), candidate.variant));
  const bool first = !torch && !has_kernel(*catalog, candidate.kernel);  // what is tried is the baseline, then
  const DeviceInfo device = choose_device(asked.device, asked.times, shell.rooms.devices(places));
  const std::vector<std::string> workloads = prepared_workloads(asked, wanted, *catalog, device, shell);
  catch_interrupts();
  const auto evaluator = shell.rooms.evaluator(places, device, asked.usd_per_hour, interrupted);
  const auto archive = shell.rooms.archive(asked.no_record ? ":memory:" : shell.store_path(), ArchiveAccess::write);
  Ledger& known = archive->ledger();
  CampaignWriter* const ledger = asked.no_record ? nullptr : &known;
  evaluator->use_peaks(known_peaks(*evaluator, known));
  // The gates are tried on the plugin as it is: an edit has no say in how it is judged.
  const auto own = wanted.source && !first ? shell.rooms.catalog(places) : nullptr;
  watch.begun(fmt::format("the gates of {}", candidate.kernel));
  const auto admission = known_admission(own ? *own : *catalog, *evaluator, known, candidate.kernel);
  if (!admission) return std::nullopt;
  if (!admission->passed && first) {
    if (watch.refused) watch.refused(refusal(*admission));
    else shell.note(fmt::format("it is no right first kernel: {}", refusal(*admission)));
    return false;
  }
  if (!admission->passed) throw bad_input(refusal(*admission));
  const std::int64_t campaign =
      ledger != nullptr ? ledger->begin_campaign(record_of_singles(candidate.kernel, device, shell)) : 0;
  bool all_passed = true;
  if (asked.controls && device.emulation) shell.note(no_controls(device.device));
  for (const std::string& workload : workloads) {
    watch.begun(fmt::format("{} {} on {}", candidate.kernel, candidate.variant, workload));
    Realized realized = realize(candidate, workload, *catalog, device);
    AttemptRecord attempt{
        campaign,     0, realized.candidate, workload, realized.problem.contract_hash, realized.source_hash, 0,
        Purpose::eval};
    attempt.label = asked.label;
    attempt.parent = wanted.parent;
    if (asked.reuse)
      if (json recorded = recorded_evaluation(archive->history(), realized, device); recorded.is_object()) {
        const std::int64_t iteration = recorded.at("iteration");
        const EvaluatedPoint point{std::move(realized), std::move(attempt), {}, iteration, device.device, recorded};
        watch.ended(point);
        all_passed = all_passed && point.passed();
        continue;
      }
    const std::optional<double> baseline_ns =
        recorded_baseline_ns(archive->history(), realized, catalog->kernel(candidate.kernel), device);
    const EvaluationPlace place{*catalog, *evaluator, *admission, asked.no_record ? nullptr : &known, baseline_ns};
    const EvaluatedPoint point = evaluate_one(std::move(realized), std::move(attempt), place);
    watch.ended(point);
    all_passed = all_passed && point.passed();
    if (asked.controls && point.passed() && !device.emulation)
      all_passed = try_controls(point, place, watch) && all_passed;
    if (interrupted()) break;
  }
  if (ledger != nullptr)
    ledger->end_campaign(campaign, interrupted() ? EndReason::interrupted : EndReason::exhausted,
                         awake_seconds() - awake_at_start(), std::nullopt);
  keep_cache_small(places.cache_folder);
  return interrupted() ? std::nullopt : std::optional(all_passed);
}

}  // namespace harness
