#include "harness/evaluate/other_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/accuracy.h"
#include "harness/core/gates.h"
#include "harness/evaluate/launches.h"
#include "harness/evaluate/wrong_answer.h"
#include "harness/judge/integer_forms.h"
#include "harness/judge/tolerance.h"

namespace harness {
namespace {

const std::string& stealthy(const std::vector<std::string>& forms) {
  const auto form = std::find(forms.begin(), forms.end(), "few spikes");
  return form == forms.end() ? forms.front() : *form;
}

bool is_unsupported(const std::optional<RunnerFailure>& failure) {
  return failure && failure->kind == RunnerFailure::Kind::unsupported;
}

// The neighbour at `turn`, or the next one that is small enough for this form.
std::size_t neighbour_for(EvaluationRun& run, const std::string& form, std::size_t turn) {
  const std::size_t count = run.neighbours.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t chosen = (turn + i) % count;
    if (is_tried_at_large_sizes(form) || !is_large(run.neighbours[chosen].executable.layout)) return chosen;
  }
  return turn;
}

// Where the least error is allowed on plain inputs, few elements counting as they do in a comparison.
std::size_t strictest_neighbour(EvaluationRun& run) {
  const auto allowed = [](const Problem& problem) {
    double error = 0;
    for (const Argument& a : problem.arguments) {
      if (!is_written(a.kind) || a.absent || !is_floating(a.dtype)) continue;
      const double few =
          1 + judge::kFewElements / std::sqrt(static_cast<double>(std::max<std::int64_t>(1, count_elements(a))));
      error = std::max(error, few * typical_error(accuracy_of(problem, a), a.dtype));
    }
    return error;
  };
  const auto strictest = std::ranges::min_element(run.neighbour_points(), {},
                                                  [&](const Realized& point) { return allowed(point.problem); });
  return static_cast<std::size_t>(strictest - run.neighbour_points().begin());
}

/// "; N 1 to 16384, K 3 to 5600 of 1 to 16384": the first is all of its range.
std::string covered_in_words(EvaluationRun& run) {
  std::string words;
  for (const auto& [size, range] : run.size_ranges()) {
    const auto value = [&size = size](const Realized& point) {
      const auto field = point.problem.workload.values.find(size);
      const auto* const whole =
          field == point.problem.workload.values.end() ? nullptr : std::get_if<std::int64_t>(&field->second);
      return whole == nullptr ? std::nullopt : std::optional(*whole);
    };
    std::optional<std::int64_t> least = value(run.request.realized), most = least;
    if (!least) continue;
    for (const std::size_t contender : run.judged)
      if (const auto other = value(run.neighbour_points()[contender - 1])) {
        least = std::min(*least, *other);
        most = std::max(*most, *other);
      }
    words += fmt::format("{} {} {} to {}", words.empty() ? ";" : ",", size, *least, *most);
    if (*least > range.lo || *most < range.hi) words += fmt::format(" of {} to {}", range.lo, range.hi);
  }
  return words;
}

// What the gates have seen beside the timed size. Decides nothing: a domain may have no point beyond it, or none that
// can be judged in time.
GateResult sizes_judged(EvaluationRun& run) {
  if (run.judged.empty()) return {name_of(gate::sizes), true, "the timed size alone was judged", false};
  const auto neighbour = [&](std::size_t contender) -> const Realized& {
    return run.neighbour_points()[contender - 1];
  };
  const Realized* largest = &neighbour(*run.judged.begin());
  for (const std::size_t contender : run.judged)
    if (amount_of(neighbour(contender).problem.work) > amount_of(largest->problem.work))
      largest = &neighbour(contender);
  const double times = amount_of(largest->problem.work) / std::max(1.0, amount_of(run.request.realized.problem.work));
  return {name_of(gate::sizes), true,
          fmt::format("judged at {} other sizes; the largest, {}, has {:.3g} times the work of the timed one{}{}",
                      run.judged.size(), largest->problem.workload.name, times,
                      times > 1 ? "" : ": nothing beyond the timed size is judged", covered_in_words(run)),
          times > 1};
}

Settled judge_form(EvaluationRun& run, Subject& subject, std::size_t contender, const std::string& form,
                   const std::string& place);

// A library offers so many engines for one shape and fewer for another: where it has none, nothing is judged, and the
// form is met at the timed size instead.
Settled judge_form_here(EvaluationRun& run, const std::string& form, const std::string& name, const std::string& why) {
  run.add({name, true, "not tried " + why, false});
  if (form == "nominal" || (is_large(run.subject.executable.layout) && !is_tried_at_large_sizes(form)))
    return std::nullopt;
  return judge_form(run, run.subject, 0, form, "the timed size");
}

Settled judge_form(EvaluationRun& run, Subject& subject, std::size_t contender, const std::string& form,
                   const std::string& place) {
  run.paint(subject, 0, form);
  const Problem nominal = subject.executable.problem;
  const Realized& realized = contender == 0 ? run.request.realized : run.neighbour_points()[contender - 1];
  run.suspect = {&realized, form};
  if (contender > 0) run.judged.insert(contender);
  const double limit = contender == 0 ? run.deadline() : run.deadline() + run.seconds_at(realized);
  subject.executable.problem = with_tolerances(realized.problem, run.request.admission, form);
  const Launched launched = launch_and_judge(run.workers, subject, contender, 0, limit);
  subject.executable.problem = nominal;
  const bool arranged = std::ranges::any_of(subject.problem().arguments, judge::has_integer_forms);
  const std::string integers = arranged ? judge::integers_in_words(form) : "";
  const std::string where =
      fmt::format("at {}{}{}, seed {}", place, integers.empty() ? "" : ", integers: ", integers, subject.draws[0].seed);
  const std::string name = form == "nominal" ? name_of(gate::shape) : name_of(gate::form, form);
  if (contender > 0 && is_unsupported(launched.failure) && has_library_step(realized.plan))
    return judge_form_here(run, form, name, where + ": " + launched.failure->detail);
  if (launched.failure) {
    if (launched.failure->kind == RunnerFailure::Kind::interrupted) throw InterruptedWork{};
    run.add({name, false, where + ": the launch failed"}, false);
    RunnerFailure failure = *launched.failure;
    failure.detail += fmt::format(" ({} {})", name, where);
    return to_outcome(failure, "launch", limit);
  }
  if (launched.verdict.passed()) return run.add({name, true, where + ": " + errors_in_words(launched.verdict)});
  const GateResult& failed = *first_failed(launched.verdict.gates);
  run.add({name, false, fmt::format("{}: {}: {}", where, failed.name, failed.detail)}, false);
  return wrong_answer(run, launched, subject, fmt::format("{} {}: ", name, where));
}

// The one with the most work that is not large.
std::optional<std::size_t> busiest_neighbour(EvaluationRun& run) {
  std::optional<std::size_t> busiest;
  for (std::size_t i = 0; i < run.neighbours.size(); ++i) {
    if (is_large(run.neighbours[i].executable.layout)) continue;
    if (!busiest || amount_of(run.neighbours[i].problem().work) > amount_of(run.neighbours[*busiest].problem().work))
      busiest = i;
  }
  return busiest;
}

// Hostile forms find what is grossly wrong; a part of the work that is left out at long sizes shows on plain inputs.
Settled gate_finalist(EvaluationRun& run, const std::vector<std::string>& forms, bool large) {
  for (std::size_t i = 0; i < run.neighbours.size(); ++i)
    if (Settled settled =
            judge_form(run, run.neighbours[i], i + 1, forms[0], run.neighbours[i].problem().workload.name))
      return settled;
  for (std::size_t i = 1; i < forms.size(); ++i) {
    if (!large || is_tried_at_large_sizes(forms[i])) {
      if (Settled settled = judge_form(run, run.subject, 0, forms[i], "the timed size")) return settled;
    } else if (const std::optional<std::size_t> busiest = busiest_neighbour(run)) {
      Subject& subject = run.neighbours[*busiest];
      if (Settled settled = judge_form(run, subject, *busiest + 1, forms[i], subject.problem().workload.name))
        return settled;
    }
  }
  return std::nullopt;
}

/// What no form of these inputs holds.
std::string special_values_in_words(const Problem& problem) {
  bool floating = false, infinities = false, nan = false;
  for (const Argument& argument : problem.arguments) {
    if (!argument.gen || argument.absent || !is_floating(argument.dtype)) continue;
    floating = true;
    infinities = infinities || (argument.values && argument.values->infinities);
    nan = nan || (argument.values && argument.values->nan);
  }
  if (!floating || (infinities && nan)) return "";
  return fmt::format("not tried: {}{}{} in the inputs (no `values` of the contract grants them)",
                     infinities ? "" : "infinities", infinities || nan ? "" : " and ", nan ? "" : "NaN");
}

}  // namespace

Settled gate_other_points(EvaluationRun& run) {
  if (run.request.admission == nullptr) return std::nullopt;
  const Charge charge(run.evaluation.cost.gates_s);
  for (const std::string& words :
       {in_words(run.subject.problem().forms), special_values_in_words(run.subject.problem())})
    if (!words.empty()) run.add({name_of(gate::forms), true, words, false});
  if (const double share = run.valid_share(); share < 1)
    run.add({name_of(gate::domain), true, fmt::format("valid on {:.0f} % of the domain", 100 * share), false});
  if (const std::string words = in_words(run.subject.problem().reference); !words.empty())
    run.add({name_of(gate::reference), true, words, false});
  const std::vector<std::string> forms =
      admitted_forms(*run.request.admission, workload_group(run.subject.problem().workload));
  const std::size_t count = run.neighbours.size();
  const std::size_t launches = std::max(forms.size() - 1, count);
  const bool large = is_large(run.subject.executable.layout);
  for (std::size_t i = 0; i < launches; ++i) {
    // Forms beyond "nominal" first; neighbours beyond them see plain inputs and, what is hardest to notice, few spikes.
    const std::string& form = i + 1 < forms.size() ? forms[i + 1] : i % 2 == 0 ? forms[0] : stealthy(forms);
    if (count == 0 && large && !is_tried_at_large_sizes(form)) continue;
    const std::size_t chosen = count > 0 ? neighbour_for(run, form, i % count) : 0;
    Subject& subject = count > 0 ? run.neighbours[chosen] : run.subject;
    const std::string place = count > 0 ? subject.problem().workload.name : "the timed size";
    if (Settled settled = judge_form(run, subject, count > 0 ? chosen + 1 : 0, form, place)) return settled;
  }
  if (count > 0 && !run.request.confirm) {
    // Lost precision shows where honest errors are smallest: on plain inputs and short sums.
    const std::size_t chosen = strictest_neighbour(run);
    Subject& subject = run.neighbours[chosen];
    if (Settled settled = judge_form(run, subject, chosen + 1, forms[0], subject.problem().workload.name))
      return settled;
  } else if (run.request.confirm && count > 0) {
    if (Settled settled = gate_finalist(run, forms, large)) return settled;
  }
  return run.add(sizes_judged(run));
}

}  // namespace harness
