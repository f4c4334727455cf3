#include "harness/evaluate/wrong_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "harness/core/gates.h"
#include "harness/evaluate/diagnosis.h"
#include "harness/evaluate/finalist_memory.h"
#include "harness/evaluate/painted.h"
#include "harness/evaluate/stages.h"
#include "harness/judge/verdict.h"

namespace harness {
namespace {

// What memory checkers may take over a candidate that is wrong or crashed. What they do not get to, they leave out.
constexpr double kExplainSeconds = 5;

double largest_error(const Verdict& verdict) {
  double largest = 0;
  for (const ArgumentError& error : verdict.errors) largest = std::max(largest, error.relative_l2);
  return largest;
}

// A wrong answer at the timed size: does it change from run to run, and what do the points where it is right share?
std::string diagnosis(EvaluationRun& run, const Launched& launched) {
  std::string words;
  run.workers.repaint(run.subject, 0);
  if (run.workers.runner.run(0, 0, run.deadline())) return words;
  if (!difference_in_words(run.subject, run.first_outputs, 0).empty())
    words = "changes from run to run (a race, or memory that nobody wrote)";
  std::vector<JudgedPoint> observations{
      {run.subject.problem().workload.values, false, largest_error(launched.verdict)}};
  if (run.neighbours.empty() && prepare_neighbours(run)) return words;
  for (std::size_t i = 0; i < run.neighbours.size(); ++i) {
    run.paint(run.neighbours[i], 0);
    const Launched other = launch_and_judge(run.workers, run.neighbours[i], i + 1, 0,
                                            run.deadline() + run.seconds_at(run.neighbour_points()[i]));
    if (other.failure) return words;
    observations.push_back({run.neighbours[i].problem().workload.values, other.passed(), largest_error(other.verdict)});
  }
  const std::string shared = diagnose(observations, run.request.realized.candidate.config);
  if (!shared.empty()) words += (words.empty() ? "" : "; ") + shared;
  return words;
}

std::optional<std::string> ask_checkers(EvaluationRun& run) {
  std::vector<CheckedPlace> places;
  if (run.suspect.realized == &run.request.realized && !run.neighbour_points().empty())  // where it takes less
    places.push_back(
        {&place_of_memory_check(run.neighbour_points(), run.request.realized, run.workers.device), run.suspect.form});
  places.push_back(run.suspect);
  if (run.workers.native()) return explain_by_checker(run.workers, places, run.request.admission, kExplainSeconds);
  // On both devices at once: each takes a second or two to begin.
  std::future<std::optional<std::string>> said_beside;
  if (run.settings.preflight != nullptr && run.preflight_point())
    said_beside = std::async(std::launch::async, [&run] {
      return run.settings.preflight->explain(*run.preflight_point(), run.request.admission, kExplainSeconds);
    });
  const auto hold = run.hold_device(&StageCosts::gates_s);
  const auto said = explain_by_checker(run.workers, {run.suspect}, run.request.admission, kExplainSeconds);
  const auto emulated = said_beside.valid() ? said_beside.get() : std::nullopt;
  return emulated ? emulated : said;  // that one names both sides of a race
}

}  // namespace

WrongAnswer wrong_answer(EvaluationRun& run, const Launched& launched, Subject& subject, const std::string& where) {
  const GateResult& failed = *first_failed(launched.verdict.gates);
  std::string message = where + failed.name + ": " + failed.detail;
  if (!launched.verdict.pattern.empty()) message += "; " + launched.verdict.pattern;
  if (const std::string tiles = in_tiles(launched.verdict.pattern, run.request.realized.candidate.config);
      !tiles.empty())
    message += " [" + tiles + "]";
  // Why a mutant is wrong, its author knows; the launches at all other points would be most of its trial.
  if (&subject == &run.subject && where.empty() && !run.request.gates_only)
    if (const std::string words = diagnosis(run, launched); !words.empty()) message += "; " + words;
  const Realized& realized = &subject == &run.subject
                                 ? run.request.realized
                                 : run.neighbour_points()[static_cast<std::size_t>(&subject - run.neighbours.data())];
  if (const std::string words = try_stages_of(run, realized, subject.trusted, subject.draws[0].form); !words.empty())
    message += "; " + words;
  return WrongAnswer{message, launched.verdict.first_bad, judge::fingerprint(launched.verdict)};
}

std::string try_stages_of(EvaluationRun& run, const Realized& realized, const JudgeProcess::Trusted& trusted,
                          const std::string& form) {
  std::string words;
  if (realized.stages.parts.empty()) return words;
  for (const StageResult& result :
       try_stages(run.workers, realized, run.artifact, run.request.admission, trusted, form, run.deadline())) {
    run.add({name_of(gate::stage, result.name), result.right, result.detail, result.checked}, false);
    const char* const verdict = !result.checked ? "not checked" : result.right ? "right" : "wrong";
    words += fmt::format("{}{} {} ({})", words.empty() ? "stages alone: " : ", ", result.name, verdict, result.detail);
  }
  return words;
}

void explain(EvaluationRun& run, Outcome& outcome) {
  auto* const wrong = std::get_if<WrongAnswer>(&outcome);
  auto* const crashed = std::get_if<Crashed>(&outcome);
  const bool unexplained = wrong != nullptr || (crashed != nullptr && (crashed->kind == CrashKind::illegal_access ||
                                                                       crashed->kind == CrashKind::signal ||
                                                                       crashed->kind == CrashKind::unknown));
  const bool by_preflight = std::ranges::any_of(run.evaluation.gates, [](const GateResult& gate) {
    return gate.name == name_of(gate::preflight) && !gate.passed;
  });
  if (!unexplained || by_preflight || run.request.gates_only || has_library_step(run.request.realized.plan)) return;
  const Charge charge(run.evaluation.cost.gates_s);
  std::string& message = wrong != nullptr ? wrong->message : crashed->detail;
  const GateResult* const failed = first_failed(run.evaluation.gates);
  const std::string symptom = run.request.realized.source_hash + (failed == nullptr ? " crash" : " " + failed->name);
  std::string said;
  if (run.settings.explanations != nullptr && run.settings.explanations->contains(symptom) && !run.request.confirm) {
    said = run.settings.explanations->at(symptom);
    if (!said.empty()) said = "another configuration of this source " + said;
  } else {
    said = ask_checkers(run).value_or("");
    if (run.settings.explanations != nullptr) (*run.settings.explanations)[symptom] = said;
  }
  // Evidence, and no gate: what failed is told by another row, or by the outcome.
  run.add({name_of(gate::explained), true, said.empty() ? "no memory checker found why" : said, false}, false);
  if (!said.empty()) message = "memory checker " + said + "; " + message;
}

}  // namespace harness
