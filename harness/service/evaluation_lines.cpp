#include "harness/service/evaluation_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/campaign/gatekeeper.h"
#include "harness/campaign/proposal_reply.h"
#include "harness/campaign/proposed_variants.h"
#include "harness/core/error.h"
#include "harness/core/torch_call.h"
#include "harness/report/events.h"
#include "harness/service/asked_candidate.h"
#include "harness/service/edited_source.h"
#include "harness/service/fitness.h"
#include "harness/service/single_evaluation.h"
#include "harness/system/awake_clock.h"
#include "harness/system/cache_limit.h"
#include "harness/system/interrupt.h"

namespace harness {
namespace {

/// The lines that have come so far, and what stays between them.
class LineJudge {
 public:
  LineJudge(const LinesAsked& asked, const Places& places, Shell& shell, const LinesWatch& watch)
      : asked_(asked), places_(places), shell_(shell), watch_(watch), own_(shell.rooms.catalog(places)) {}

  /// False: interrupted.
  bool begin();
  json answer(const std::string& line);
  void end();

 private:
  struct Made {
    Candidate candidate;
    std::optional<std::string> parent;
  };
  json answer_to(const json& line);
  Made make(const json& line, const std::vector<std::string>& workloads, Catalog& catalog);
  EvaluatedPoint evaluated(const json& line, const Made& made, const std::string& workload, Catalog& catalog);
  void measure_baseline(const std::string& workload);
  std::vector<std::string> workloads_of(const json& line);

  const LinesAsked& asked_;
  const Places& places_;
  Shell& shell_;
  const LinesWatch& watch_;
  std::unique_ptr<Catalog> own_;  // as the plugin folders have it
  DeviceInfo device_;
  std::unique_ptr<Evaluator> evaluator_;
  std::unique_ptr<Archive> archive_;
  std::optional<Admission> admission_;
  std::int64_t campaign_ = 0;
  std::vector<ProposalRecord> proposals_;
  std::map<std::string, double> baseline_ns_;    // by workload
  std::map<std::string, Incumbent> incumbents_;  // by workload: the fastest so far
};

const std::vector<const char*> kKeys = {"id",       "variant",  "params", "source",   "manifest",
                                        "workload", "finalist", "label",  "technique"};

json checked_line(const std::string& text) {
  json line = json::parse(text, nullptr, false);
  if (!line.is_object()) throw bad_input("a line is one JSON object: {\"variant\": ..., \"params\": {...}, ...}");
  for (const auto& [key, value] : line.items()) {
    if (std::ranges::none_of(kKeys, [&](const char* known) { return key == known; }))
      throw bad_input(fmt::format("a line has no key '{}'; it has {}", key, fmt::join(kKeys, ", ")));
    const bool is_text = key != "id" && key != "params" && key != "manifest" && key != "finalist";
    if (is_text && !value.is_string()) throw bad_input(fmt::format("'{}' is a text", key));
  }
  if (!line.contains("variant")) throw bad_input("a line names a variant, which its source and manifest change");
  if (line.contains("finalist") && !line["finalist"].is_boolean()) throw bad_input("'finalist' is true or false");
  return line;
}

/// The geometric mean over workloads; 0 where one failed, null where one has no baseline.
json score_of(const json& evaluations) {
  double sum = 0;
  bool unknown = false;
  for (const json& each : evaluations) {
    if (each["score"].is_null()) unknown = true;
    else if (each["score"] == 0) return 0;
    else sum += std::log(each["score"].get<double>());
  }
  return unknown || evaluations.empty() ? json() : json(std::exp(sum / static_cast<double>(evaluations.size())));
}

bool LineJudge::begin() {
  own_->kernel(asked_.kernel);
  device_ = choose_device(asked_.device, asked_.times, shell_.rooms.devices(places_));
  catch_interrupts();
  evaluator_ = shell_.rooms.evaluator(places_, device_, std::nullopt, interrupted);
  archive_ = shell_.rooms.archive(asked_.no_record ? ":memory:" : shell_.store_path(), ArchiveAccess::write);
  evaluator_->use_peaks(known_peaks(*evaluator_, archive_->ledger()));
  watch_.begun(fmt::format("the gates of {}", asked_.kernel));
  admission_ = known_admission(*own_, *evaluator_, archive_->ledger(), asked_.kernel);
  if (!admission_) return false;
  if (!admission_->passed) throw bad_input(refusal(*admission_));
  campaign_ = archive_->ledger().begin_campaign(record_of_singles(asked_.kernel, device_, shell_));
  return true;
}

void LineJudge::end() {
  archive_->ledger().end_campaign(campaign_, interrupted() ? EndReason::interrupted : EndReason::exhausted,
                                  awake_seconds() - awake_at_start(), std::nullopt);
  keep_cache_small(places_.cache_folder);
}

json LineJudge::answer(const std::string& text) {
  json line = {{"id", nullptr}}, answer;
  try {
    line.update(checked_line(text));
    answer = answer_to(line);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::bad_input) throw;
    answer = {{"score", 0}, {"outcome", "refused"}, {"feedback", error.what()}, {"evaluations", json::array()}};
  }
  answer["id"] = line["id"];
  return answer;
}

std::vector<std::string> LineJudge::workloads_of(const json& line) {
  std::vector<std::string> words = asked_.workloads;
  if (line.contains("workload")) words = {line["workload"].get<std::string>()};
  return asked_workloads({{asked_.kernel, line["variant"], "", {}}, "", {}, "", {}}, words, *own_, device_);
}

json LineJudge::answer_to(const json& line) {
  const std::vector<std::string> workloads = workloads_of(line);
  const bool changes = line.contains("source") || line.contains("manifest");
  const auto edited = changes ? shell_.rooms.catalog(places_) : nullptr;
  Catalog& catalog = edited ? *edited : *own_;
  const Made made = make(line, workloads, catalog);
  json evaluations = json::array();
  std::string outcome = "passed", feedback;
  for (const std::string& workload : workloads) {
    const EvaluatedPoint point = evaluated(line, made, workload, catalog);
    json each = point.recorded.is_object() ? point.recorded : report::evaluation_json(point.event());
    add_fitness(each);
    each["from_record"] = point.recorded.is_object();
    if (outcome == "passed" || each["score"] == 0) outcome = each["outcome"], feedback = each["feedback"];
    evaluations.push_back(std::move(each));
    if (interrupted() || evaluations.back()["score"] == 0) break;  // the others could not save it
  }
  return {{"score", score_of(evaluations)},
          {"outcome", outcome},
          {"feedback", feedback},
          {"variant", made.candidate.variant},
          {"evaluations", evaluations}};
}

/// A changed manifest makes a variant of its own; a source alone stands in the place of the variant's.
LineJudge::Made LineJudge::make(const json& line, const std::vector<std::string>& workloads, Catalog& catalog) {
  Made made{{asked_.kernel, line["variant"], "", config_from_json(line.value("params", json::object()))}, {}};
  variant_of(catalog.kernel(asked_.kernel), made.candidate.variant);
  if (line.contains("manifest")) {
    if (const auto problem = manifest_problem(line["manifest"])) throw bad_input(problem->message);
    ProposalRecord record =
        proposed_by_edit({asked_.kernel, workloads.front(), made.candidate.variant, line["manifest"],
                          line.value("source", ""), line.value("label", ""), line.value("technique", "")},
                         proposals_, {&catalog}, device_);
    if (record.id == 0) {
      record.campaign = campaign_;
      record.proposer = "eval";
      record.id = archive_->ledger().record_proposal(record);
      proposals_.push_back(record);
    } else {
      catalog.plugin(asked_.kernel).add_variant(variant_of(record));
    }
    if (record.outcome != ProposalOutcome::accepted)
      throw bad_input("no variant can be made of this manifest: " + record.message);
    made.candidate.variant = record.variant;
  } else if (line.contains("source")) {
    made.parent = variant_of(catalog.kernel(asked_.kernel), made.candidate.variant).source_hash;
    take_source(made.candidate, workloads.front(), line["source"], catalog, device_);
    require_entries(realize(made.candidate, workloads.front(), catalog, device_), "the line's source");
  }
  made.candidate.technique = variant_of(catalog.kernel(asked_.kernel), made.candidate.variant).technique;
  return made;
}

/// Where no time of it is recorded. It is what speedups are of.
void LineJudge::measure_baseline(const std::string& workload) {
  if (baseline_ns_.contains(workload)) return;
  const KernelInfo& kernel = own_->kernel(asked_.kernel);
  const VariantInfo& variant = baseline_of(kernel, device_);
  Realized realized = realize({asked_.kernel, variant.name, variant.technique, {}}, workload, *own_, device_);
  std::optional<double> ns = recorded_baseline_ns(archive_->history(), realized, kernel, device_);
  if (!ns) {
    watch_.begun(fmt::format("the baseline on {}", workload));
    AttemptRecord attempt{
        campaign_,        0, realized.candidate, workload, realized.problem.contract_hash, realized.source_hash, 0,
        Purpose::baseline};
    const EvaluatedPoint point = evaluate_one(realized, std::move(attempt),
                                              {*own_, *evaluator_, *admission_, &archive_->ledger(), {}}, {{}, false});
    const Timing* const timing = timing_of(point.evaluation.outcome);
    if (timing == nullptr)
      throw bad_input(fmt::format("the baseline {} does not pass on {}: {}", variant.name, workload,
                                  outcome_name(point.evaluation.outcome)));
    ns = timing->time_ns;
  }
  baseline_ns_[workload] = *ns;
  incumbents_.insert_or_assign(workload, Incumbent{std::move(realized), *ns, 1.0});
}

EvaluatedPoint LineJudge::evaluated(const json& line, const Made& made, const std::string& workload, Catalog& catalog) {
  Realized realized = realize(made.candidate, workload, catalog, device_);
  AttemptRecord attempt{
      campaign_,    0, realized.candidate, workload, realized.problem.contract_hash, realized.source_hash, 0,
      Purpose::eval};
  if (line.contains("label")) attempt.label = line["label"].get<std::string>();
  attempt.parent = made.parent;
  if (asked_.reuse)
    if (json recorded = recorded_evaluation(archive_->history(), realized, device_); recorded.is_object()) {
      const std::int64_t iteration = recorded.at("iteration");
      return {std::move(realized), std::move(attempt), {}, iteration, device_.device, recorded};
    }
  measure_baseline(workload);
  watch_.begun(fmt::format("{} on {}", made.candidate.variant, workload));
  Incumbent& best = incumbents_.at(workload);
  const EvaluationPlace place{catalog, *evaluator_, *admission_, &archive_->ledger(), baseline_ns_.at(workload)};
  const bool finalist = line.value("finalist", false);
  EvaluatedPoint point =
      evaluate_one(std::move(realized), std::move(attempt), place, finalist ? Trial{} : Trial{best, false});
  if (const auto* same = std::get_if<NoEffect>(&point.evaluation.outcome)) {  // what its twin is worth, it is worth
    point.recorded = archive_->history().iteration(same->same_as_iteration, false);
    return point;
  }
  const Timing* const timing = timing_of(point.evaluation.outcome);
  if (point.passed() && timing->time_ns < best.time_ns)
    best = {point.realized, timing->time_ns, baseline_ns_.at(workload) / timing->time_ns};
  return point;
}

}  // namespace

std::optional<bool> evaluate_lines(const LinesAsked& asked, const Places& places, Shell& shell,
                                   const LinesWatch& watch) {
  LineJudge judge(asked, places, shell, watch);
  if (!judge.begin()) return std::nullopt;
  bool all_passed = true;
  while (const std::optional<std::string> line = watch.next()) {
    const json answer = judge.answer(*line);
    all_passed = all_passed && answer["score"] != 0;
    watch.ended(answer);
    if (interrupted()) break;
  }
  judge.end();
  return interrupted() ? std::nullopt : std::optional(all_passed);
}

}  // namespace harness
