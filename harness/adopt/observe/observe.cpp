#include "harness/adopt/observe/observe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <chrono>

#include "harness/adopt/kernel/preview.h"
#include "harness/adopt/observe/block_sizes.h"
#include "harness/adopt/observe/complaint.h"
#include "harness/adopt/observe/guesses.h"
#include "harness/adopt/observe/limits.h"
#include "harness/adopt/observe/observed_launch.h"
#include "harness/adopt/observe/phase.h"
#include "harness/adopt/observe/points.h"
#include "harness/adopt/observe/settled.h"
#include "harness/adopt/observe/shape_order.h"
#include "harness/adopt/source/option_text.h"

namespace harness::adopt {
namespace {

constexpr double kEffortOfSteps = 12000;  // of launches; no further steps are tried afterwards
constexpr int kMostUntouched = 3;         // attempts that ran well everywhere and left an array untouched
constexpr int kMostEndless = 2;           // attempts in which a launch did not end

/// What to try, simplest first: a step for all, and whether tiles of the launch are steps.
constexpr Steps kSteps[] = {{1, false}, {1, false, 700}, {1, false, 0, true}, {1, true},   {4, false},
                            {8, true},  {16, false},     {32, false},         {64, false}, {128, false}};

/// "fatal error: cuda/barrier: No such file or directory" as a sentence.
void refuse_header(const Subject& subject, const std::string& log) {
  constexpr std::string_view kBefore = "fatal error: ", kBehind = ": No such file";
  const std::size_t begin = log.find(kBefore), end = log.find(kBehind);
  if (begin == std::string::npos || end == std::string::npos || end < begin) return;
  const std::string header = log.substr(begin + kBefore.size(), end - begin - kBefore.size());
  throw bad_input(
      fmt::format("the kernel of {} needs <{}>, which the device that observes does not have; rewrite that "
                  "part, or write the plugin by hand (harness new kernel)",
                  subject.build.source_name, header));
}

/// "WIDTH" of "error: 'WIDTH' was not declared in this scope"; "": there is no such error.
std::string undeclared_name(const std::string& log) {
  const std::size_t end = log.find(" was not declared in this scope");
  std::string name;
  if (end == std::string::npos) return name;
  std::size_t from = end;
  while (from > 0 && log[from - 1] != ' ') --from;
  for (const char c : log.substr(from, end - from))
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') name += c;
  return name;
}

/// Names whose meaning is known, and that it is missing.
void refuse_undeclared(const Subject& subject, const std::string& log) {
  constexpr std::string_view kGone[] = {"__shfl", "__shfl_up", "__shfl_down", "__shfl_xor",
                                        "__any",  "__all",     "__ballot"};
  const std::string name = undeclared_name(log);
  const std::string& file = subject.build.source_name;
  if (is_in_capitals(name)) throw undefined_macro(file, name);
  if (std::ranges::find(kGone, name) != std::end(kGone))
    throw bad_input(
        fmt::format("the kernel of {} calls {}, which no GPU since Volta has (compute capability 7.0); write "
                    "{}_sync with a mask in its place",
                    file, name, name));
  if (name.starts_with("curand"))
    throw bad_input(
        fmt::format("the kernel of {} draws with cuRAND ({}), which the device that observes does not have; "
                    "pass it its random numbers in an array",
                    file, name));
}

Artifact build(const Subject& subject, Observer& observer) {
  const BuildSpec& spec = subject.build;
  const BuildResult result = observer.build(spec);
  if (const auto* failure = std::get_if<CompileFailure>(&result)) {
    refuse_header(subject, failure->log);
    refuse_undeclared(subject, failure->log);
    throw bad_input(fmt::format("the device part of {} does not compile on the cpu device: {}",
                                subject.build.source_name,
                                first_complaint(failure->log, spec.source_name, spec.source, subject.original)));
  }
  return std::get<Artifact>(result);
}

/// Where the host says nothing of its sizes, a person may know.
std::string unknown_relations_of(const AdoptedKernel& kernel) {
  std::vector<std::string> names;
  for (const AdoptedSize& size : kernel.sizes) names.push_back(size.name);
  return fmt::format("where one of its sizes ({}) follows from others, say --set \"{}=EXPR\"", fmt::join(names, ", "),
                     names.front());
}

/// "the host has blocks = (n + 13) / 14": of the sizes that were taken for free.
std::string relations_of(const AdoptedKernel& kernel) {
  std::vector<std::string> texts;
  std::string first;
  for (const AdoptedSize& size : kernel.sizes) {
    const auto written = kernel.launch.written.find(size.symbol);
    if (written == kernel.launch.written.end()) continue;
    if (first.empty()) first = size.name;
    texts.push_back(fmt::format("{} = {}", size.name, written->second));
  }
  if (texts.empty()) return kernel.sizes.size() < 2 ? "" : unknown_relations_of(kernel);
  return fmt::format(
      "of its sizes, say --set \"{}=EXPR\" of one that follows from others and --set {}=1 of one that is the same in "
      "every call (the host has {})",
      first, first, fmt::join(texts, ", "));
}

/// The input whose floating numbers say where the kernel reads or writes: it stays inside where they are zero. "":
/// none.
std::string leading_floats(const AdoptedKernel& kernel, const Subject& subject, Observer& observer,
                           const Artifact& artifact, Seen& seen) {
  const auto runs_well = [&](const std::vector<ObservedLaunch>& launches) {
    const std::vector<Observation> observed = observer.run(artifact, launches);
    seen.runs += static_cast<int>(observed.size());
    return !observed.empty() && std::ranges::all_of(observed, ended_well);
  };
  std::vector<ObservedLaunch> drawn;
  for (const Values& point : points_of(kernel, 4, 1))
    drawn.push_back(launch_at(kernel, subject.entry, point, 0, false));
  if (runs_well(drawn)) return "";  // then no array's values are what kept it from running
  for (const AdoptedParameter& parameter : kernel.parameters) {
    if (parameter.kind != Param::pointer || !is_floating(parameter.dtype) || !parameter.declared_read_only) continue;
    std::vector<ObservedLaunch> launches = drawn;
    for (ObservedLaunch& launch : launches)
      for (Arena& arena : launch.arenas)
        if (arena.name == parameter.name)
          arena.content = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(kContentBytes));
    if (runs_well(launches)) return parameter.name;
  }
  return "";
}

/// Once an attempt understood the kernel: the order of its shapes, the steps, limits and types of its sizes. Not where
/// its block is a size: it has another size then.
std::optional<BlockIsSize> finish(Attempt& attempt, const Subject& subject, Observer& observer, Seen& seen) {
  AdoptedKernel& kernel = attempt.kernel();
  if (auto block = block_that_is_size(attempt)) return block;
  keep_rows_apart(kernel);
  phase(subject.say, "the order of its sizes", [&] { order_shapes(attempt); });
  phase(subject.say, "the steps of its sizes", [&] {
    if (refine_steps(attempt)) order_shapes(attempt);  // smaller sizes show rows that one block alone covers
  });
  phase(subject.say, "its other types", [&] { try_other_types(kernel, subject, observer, seen); });
  phase(subject.say, "its least sizes", [&] { find_least(attempt); });
  phase(subject.say, "its largest sizes", [&] { find_limits(attempt); });
  phase(subject.say, "the sizes of the host's program", [&] { try_sizes_of_host(attempt, seen); });
  for (AdoptedSize& size : kernel.sizes)
    if (size.step > 1) size.evidence += fmt::format("; it runs on multiples of {} only", size.step);
  freeze_settings(kernel, seen);
  limit_counts(kernel, seen);
  settle_grid(attempt);
  return std::nullopt;
}

/// Attempts with steps, then guesses.
class Search {
 public:
  Search(AdoptedKernel& kernel, const Subject& subject, Observer& observer, const Artifact& artifact, Seen& seen)
      : kernel_(kernel),
        say_(subject.say),
        observing_(kernel, subject, observer, artifact, seen),
        finish_([&](Attempt& attempt) { block = finish(attempt, subject, observer, seen); }),
        tiles_(tiles_of(kernel)) {}

  Attempted attempted;
  std::optional<BlockIsSize> block;  // of a kernel that is understood

  /// True: the kernel is understood.
  bool find() {
    const auto budget = observing_.budget(kEffortOfSteps);
    for (const Steps& steps : kSteps) {
      if (!may_hold(steps)) continue;
      if (budget.spent()) break;
      const Result result = attempt_with(steps);
      if (result == Result::understood) return true;
      if (result == Result::hopeless) break;
    }
    return first_that_holds(late_guesses(), observing_, attempted, finish_) != nullptr;
  }

  /// The steps at which most was seen.
  void go_back() { set_steps(kernel_, attempted.of_questions, tiles_); }

 private:
  enum class Result { understood, not_yet, hopeless };

  bool may_hold(const Steps& steps) const {
    if (steps.tiles && tiles_.empty()) return false;
    if (steps.most > 0 && kernel_.sizes.size() != 1) return false;
    return !steps.beyond || (!tiles_.empty() && attempted.narrow);
  }

  Result attempt_with(const Steps& steps) {
    set_steps(kernel_, steps, tiles_);
    if (steps.beyond) reach_beyond(kernel_, tiles_);
    Attempt attempt(observing_);
    const std::int64_t high = kernel_.sizes.empty() ? 0 : kernel_.sizes.front().high;
    if (steps.most > 0) kernel_.sizes.front().high = steps.most;
    const auto begin = std::chrono::steady_clock::now();
    const bool understood = attempt.run();
    say(fmt::format("observed at sizes in steps of {}{}, {:.1f} s: {}", steps.step, steps.tiles ? " and tiles" : "",
                    std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
                    understood ? "understood" : "not understood, " + attempt.why));
    if (steps.most > 0) kernel_.sizes.front().high = high;
    if (!understood) return learn(attempt, steps);
    attempt.keep();
    if (attempt.reaches_further()) {
      if (!attempted.narrow) attempted.narrow = Steps{steps.step, steps.tiles};
      return Result::not_yet;
    }
    finish_(attempt);
    return Result::understood;
  }

  void say(const std::string& line) const {
    if (say_) say_(line);
  }

  /// From an attempt that failed.
  Result learn(const Attempt& attempt, const Steps& steps) {
    const bool first = attempted.why.empty();
    if (first) attempted.why = attempt.why;
    if (first) attempted.before_begin = attempt.before_begin;
    if (!attempt.questions.empty() && attempted.questions.empty()) {
      attempted.questions = attempt.questions;
      attempted.of_values = attempt.of_values;
      attempted.of_questions = {steps.step, steps.tiles};
    }
    if (first && first_that_holds(early_guesses(), observing_, attempted, finish_) != nullptr)
      return Result::understood;
    if (kernel_.sizes.empty() || (attempt.untouched && ++attempted.untouched == kMostUntouched))
      return Result::hopeless;
    return attempt.endless && ++attempted.endless == kMostEndless ? Result::hopeless : Result::not_yet;
  }

  AdoptedKernel& kernel_;
  const Say say_;
  Observing observing_;
  Finish finish_;
  const Tiles tiles_;
};

}  // namespace

std::variant<Observed, BlockIsSize, RanNowhere> observe(AdoptedKernel kernel, const Subject& subject,
                                                        Observer& observer) {
  Seen seen;
  if (subject.say) subject.say(launch_preview(kernel));
  const Artifact artifact = build(subject, observer);
  Search search(kernel, subject, observer, artifact, seen);
  const bool understood = search.find();
  if (search.block) return *search.block;
  if (understood) return Observed{std::move(kernel), std::move(seen)};
  seen.relations = relations_of(kernel);
  seen.questions = search.attempted.questions;
  if (!seen.questions.empty()) return Observed{std::move(kernel), std::move(seen)};
  search.go_back();
  if (const std::string floats = leading_floats(kernel, subject, observer, artifact, seen); !floats.empty())
    throw bad_input(
        fmt::format("'{}' runs well where '{}' is zero only: its floating-point numbers say where other arrays are "
                    "read, so no drawn numbers suit it; write the plugin by hand (harness new kernel)",
                    kernel.shown_name(), floats));
  return RanNowhere{
      bad_input(
          fmt::format("'{}' did not run well on the cpu device at any sizes that were tried; {}; give its sizes with "
                      "--arg and --size, or its launch with --grid and --block{}",
                      kernel.shown_name(), search.attempted.why, seen.relations.empty() ? "" : "; " + seen.relations)),
      search.attempted.before_begin};
}

}  // namespace harness::adopt
