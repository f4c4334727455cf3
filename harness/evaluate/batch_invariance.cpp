#include "harness/evaluate/batch_invariance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "harness/core/first_error.h"
#include "harness/core/gates.h"
#include "harness/evaluate/launches.h"
#include "harness/evaluate/painted.h"
#include "harness/judge/rows.h"
#include "harness/system/awake_clock.h"

namespace harness {
namespace {

constexpr std::size_t kMostRows = 256;    // that are followed from batch to batch
constexpr std::size_t kNewRows = 32;      // of them first met in one batch
constexpr double kGateSeconds = 8;        // for all batches, where the contract asks
constexpr double kFactSeconds = 1.2;      // where it does not
constexpr std::size_t kGateBatches = 24;  // as many, before it is narrowed down where it breaks
constexpr std::size_t kFactBatches = 9;
// Where launches are emulated a fact may cost less: nobody's batches run there.
constexpr double kEmulatedFactSeconds = 0.5;
constexpr std::size_t kEmulatedFactBatches = 6;
constexpr std::size_t kOtherBuilds = 3;
constexpr int kOtherConfigurations = 1;  // that are compared
/// Rows that differ by more than any rounding explains follow from each other: the size is no batch.
constexpr double kMoreThanRounding = 0.05;

using Elements = std::vector<std::byte>;

/// One row: what it is made of, and what the first launch that had it made of it.
struct FollowedRow {
  std::map<std::string, Elements> inputs, outputs;
  std::int64_t met_in = 0;  // the size of that batch
};

/// What became of the rows in one batch.
struct BatchOutcome {
  std::optional<RunnerFailure> failure;
  std::string not_launched;  // why there was no launch
  std::string broken;        // in words, the first row whose bits are others
  double distance = 0;       // the most, of any row
};

double fact_seconds(const EvaluationRun& run) {
  return run.workers.native() ? kEmulatedFactSeconds : kFactSeconds;
}

class BatchTrial {
 public:
  BatchTrial(EvaluationRun& run, std::string size, bool asked)
      : run_(run), size_(std::move(size)), asked_(asked), chance_(fresh_seed()), begin_s_(awake_seconds()) {}

  struct Finding {
    std::optional<bool> same;  // nothing: not checked
    std::string words;
  };
  Finding find();
  std::optional<RunnerFailure> failure;  // of a launch, where the finding is that there was one

 private:
  std::string prepare();
  std::vector<std::size_t> chosen() const;
  BatchOutcome launch(std::size_t point, bool all_rows);
  void place_rows(Subject& subject, std::int64_t count,
                  const std::vector<std::pair<std::size_t, std::int64_t>>& placed);
  void meet_rows(const Subject& subject, std::int64_t count, std::set<std::int64_t> taken);
  std::string compare(const Subject& subject, std::int64_t count,
                      const std::vector<std::pair<std::size_t, std::int64_t>>& placed, double& distance);
  const Artifact* artifact_of(const Realized& point, std::string& why);
  std::int64_t count_at(std::size_t point) const {
    return std::get<std::int64_t>(points_[point].problem.workload.values.at(size_));
  }
  bool has_time() const { return awake_seconds() - begin_s_ < (asked_ ? kGateSeconds : fact_seconds(run_)); }
  Finding broken_at(std::size_t good, std::size_t bad, BatchOutcome outcome);

  EvaluationRun& run_;
  std::string size_;
  bool asked_;
  std::mt19937_64 chance_;
  double begin_s_;
  std::vector<Realized> points_;  // ascending
  judge::Rows rows_;
  std::vector<FollowedRow> followed_;
  std::map<std::string, Elements> whole_;                  // inputs that all rows share
  std::map<std::string, Artifact> artifacts_;              // of points that compile to something else
  std::vector<std::pair<std::size_t, std::int64_t>> met_;  // of the last launch: rows that it met first, and where
};

std::string BatchTrial::prepare() {
  points_ = run_.along()(size_);
  if (points_.size() < 2) return fmt::format("no two values of {} can be launched and judged in time", size_);
  std::vector<const Problem*> problems;
  for (const Realized& point : points_) problems.push_back(&point.problem);
  rows_ = judge::rows_over(size_, problems);
  return rows_.why;
}

/// The ends, what is timed, and others between.
std::vector<std::size_t> BatchTrial::chosen() const {
  const std::size_t most = asked_ ? kGateBatches : run_.workers.native() ? kEmulatedFactBatches : kFactBatches;
  std::vector<std::size_t> all(points_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (all.size() <= most) return all;
  std::set<std::size_t> some{all.front(), all.back()};
  const auto timed = run_.request.realized.problem.workload.values.find(size_);
  for (const std::size_t i : all)
    if (timed != run_.request.realized.problem.workload.values.end() && Value(count_at(i)) == timed->second)
      some.insert(i);
  std::mt19937_64 chance = chance_;
  while (some.size() < most) some.insert(chance() % all.size());
  return {some.begin(), some.end()};
}

const Artifact* BatchTrial::artifact_of(const Realized& point, std::string& why) {
  const std::string key = json_text(point.build);
  if (key == json_text(run_.request.realized.build)) return &run_.artifact;
  if (const auto known = artifacts_.find(key); known != artifacts_.end()) return &known->second;
  if (artifacts_.size() == kOtherBuilds) {
    why = "it compiles to yet another module there";
    return nullptr;
  }
  const BuildResult built = run_.workers.await(point.build);
  if (const auto* made = std::get_if<Artifact>(&built)) return &(artifacts_[key] = *made);
  why = "it does not compile there: " + first_error(std::get<CompileFailure>(built).log);
  return nullptr;
}

const Argument& argument_of(const Subject& subject, const std::string& name) {
  return *find_argument(subject.problem(), name);
}
const ImageBuffer& buffer_of(const Subject& subject, const std::string& name) {
  return *find_buffer(subject.executable.layout, name);
}

/// The rows that are followed, and what all share, in the place of what was drawn.
void BatchTrial::place_rows(Subject& subject, std::int64_t count,
                            const std::vector<std::pair<std::size_t, std::int64_t>>& placed) {
  const std::span<std::byte> image = subject.images[0].bytes();
  for (const std::string& name : rows_.whole) {
    const ImageBuffer& buffer = buffer_of(subject, name);
    const std::span<std::byte> there =
        image.subspan(static_cast<std::size_t>(buffer.offset), static_cast<std::size_t>(buffer.bytes));
    Elements& kept = whole_[name];
    if (kept.empty()) kept.assign(there.begin(), there.end());
    else if (kept.size() == there.size()) std::ranges::copy(kept, there.begin());
  }
  for (const auto& [row, place] : placed)
    for (const auto& [name, elements] : followed_[row].inputs)
      judge::put_row(image, buffer_of(subject, name), argument_of(subject, name), rows_.dimension.at(name), count,
                     place, elements);
}

/// Rows of this batch that from now on are followed: the last, which a tail holds, the first, and others.
void BatchTrial::meet_rows(const Subject& subject, std::int64_t count, std::set<std::int64_t> taken) {
  met_.clear();
  const std::span<const std::byte> image = subject.images[0].bytes();
  for (std::size_t tried = 0; tried < 4 * kNewRows && met_.size() < kNewRows && followed_.size() < kMostRows; ++tried) {
    const std::int64_t place = tried == 0   ? count - 1
                               : tried == 1 ? 0
                                            : static_cast<std::int64_t>(chance_() % static_cast<std::uint64_t>(count));
    if (!taken.insert(place).second) continue;
    FollowedRow row;
    row.met_in = count;
    for (const auto& [name, dimension] : rows_.dimension)
      if (argument_of(subject, name).kind != ArgumentKind::output)
        row.inputs[name] =
            judge::row_of(image, buffer_of(subject, name), argument_of(subject, name), dimension, count, place);
    met_.emplace_back(followed_.size(), place);
    followed_.push_back(std::move(row));
  }
}

std::string BatchTrial::compare(const Subject& subject, std::int64_t count,
                                const std::vector<std::pair<std::size_t, std::int64_t>>& placed, double& distance) {
  std::string words;
  for (const auto& [row, place] : placed)
    for (const std::string& name : rows_.outputs) {
      const Argument& argument = argument_of(subject, name);
      Elements now = judge::row_of(subject.images[0].bytes(), buffer_of(subject, name), argument,
                                   rows_.dimension.at(name), count, place);
      FollowedRow& known = followed_[row];
      Elements& before = known.outputs[name];
      if (before.empty()) {
        before = std::move(now);
        continue;
      }
      if (before == now) continue;
      const judge::RowDifference difference = judge::difference_of(argument.dtype, before, now);
      distance = std::max(distance, difference.distance);
      if (words.empty())
        words = fmt::format(
            "row {} of {} has other bits in {} of {} elements of '{}' than it had among {}, by {:.2g} of "
            "its length",
            place, count, difference.differ, difference.elements, name, known.met_in, difference.distance);
    }
  return words;
}

BatchOutcome BatchTrial::launch(std::size_t point, bool all_rows) {
  const Realized& realized = points_[point];
  const std::int64_t count = count_at(point);
  BatchOutcome outcome;
  const Artifact* const artifact = artifact_of(realized, outcome.not_launched);
  if (artifact == nullptr) return outcome;
  Subject subject = run_.workers.make_subject(realized, *artifact, nullptr);
  subject.trusted = run_.workers.build_trusted(realized);
  run_.workers.paint(subject, 0);
  run_.evaluation.seeds.push_back(subject.draws[0].seed);
  // Which row stands where is drawn anew: the same batch twice has its rows at other places.
  std::vector<std::size_t> rows(followed_.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::ranges::shuffle(rows, chance_);
  const auto room = static_cast<std::size_t>(count);
  if (rows.size() > room) rows.resize(room);
  std::set<std::int64_t> taken;
  std::vector<std::pair<std::size_t, std::int64_t>> placed;
  for (const std::size_t row : rows) {
    std::int64_t place = placed.empty() ? count - 1 : placed.size() == 1 ? 0 : -1;
    while (place < 0 || taken.contains(place))
      place = static_cast<std::int64_t>(chance_() % static_cast<std::uint64_t>(count));
    taken.insert(place);
    placed.emplace_back(row, place);
  }
  place_rows(subject, count, placed);
  met_.clear();
  if (all_rows) meet_rows(subject, count, taken);
  const double limit = run_.deadline() + run_.seconds_at(realized);
  outcome.failure = run_.workers.runner.prepare(contenders_of({&subject}), limit);
  if (!outcome.failure) outcome.failure = run_.workers.runner.run(0, 0, limit);
  if (outcome.failure) return outcome;
  placed.insert(placed.end(), met_.begin(), met_.end());
  outcome.broken = compare(subject, count, placed, outcome.distance);
  // What a batch in which rows changed makes of new ones is nothing to hold others to.
  if (!outcome.broken.empty()) followed_.resize(followed_.size() - met_.size());
  return outcome;
}

/// The least batch at which it breaks, as far as the time allows to look.
BatchTrial::Finding BatchTrial::broken_at(std::size_t good, std::size_t bad, BatchOutcome outcome) {
  while (bad - good > 1 && has_time() && outcome.distance <= kMoreThanRounding) {
    const std::size_t between = good + (bad - good) / 2;
    BatchOutcome there = launch(between, false);
    if (there.failure || !there.not_launched.empty()) break;
    if (there.broken.empty()) {
      good = between;
    } else {
      bad = between;
      outcome = std::move(there);
    }
  }
  if (outcome.distance > kMoreThanRounding && !asked_)
    return {std::nullopt, fmt::format("rows follow from each other over {}: {}", size_, outcome.broken)};
  return {false, fmt::format("over {}: at {} = {}{}: {}", size_, size_, count_at(bad),
                             bad > good ? fmt::format(", and not up to {}", count_at(good)) : "", outcome.broken)};
}

BatchTrial::Finding BatchTrial::find() {
  if (const std::string why = prepare(); !why.empty()) return {std::nullopt, why};
  std::vector<std::size_t> launched;
  const auto failed = [&](std::size_t point, const BatchOutcome& outcome) {
    failure = outcome.failure;
    return Finding{std::nullopt,
                   fmt::format("the launch at {} = {} failed: {}", size_, count_at(point), outcome.failure->detail)};
  };
  for (const std::size_t point : chosen()) {
    if (launched.size() >= 2 && !has_time()) break;
    BatchOutcome outcome = launch(point, true);
    if (!outcome.not_launched.empty()) continue;
    if (outcome.failure) return failed(point, outcome);
    if (!outcome.broken.empty()) return broken_at(launched.back(), point, std::move(outcome));
    launched.push_back(point);
  }
  if (launched.size() < 2) return {std::nullopt, fmt::format("no two values of {} could be launched", size_)};
  // The last rows were met in the largest batch alone: once more there, at other places, and in parts of it.
  for (const std::size_t point : {launched.back(), launched[launched.size() / 2], launched.front()}) {
    BatchOutcome outcome = launch(point, false);
    if (outcome.failure) return failed(point, outcome);
    if (!outcome.broken.empty()) return broken_at(point, point, std::move(outcome));
  }
  return {true,
          fmt::format("over {}: {} rows kept their bits in {} batches of {} to {}, at other places and in parts", size_,
                      followed_.size(), launched.size() + 3, count_at(launched.front()), count_at(launched.back()))};
}

/// The size that the outermost dimension of the outputs follows; "" where none does.
std::string outermost_size(EvaluationRun& run) {
  for (const Argument& argument : run.subject.problem().arguments) {
    if (!is_written(argument.kind) || argument.absent || argument.shape.empty()) continue;
    for (const bool exactly : {true, false})
      for (const auto& [size, range] : run.size_ranges()) {
        const auto value = run.subject.problem().workload.values.find(size);
        if (value == run.subject.problem().workload.values.end()) continue;
        const auto count = std::get<std::int64_t>(value->second);
        if (exactly ? argument.shape[0] != count : argument.shape[0] % std::max<std::int64_t>(1, count) != 0) continue;
        const std::vector<Realized> points = run.along()(size);
        if (points.size() < 2) continue;
        const Argument* const first = find_argument(points.front().problem, argument.name);
        const Argument* const last = find_argument(points.back().problem, argument.name);
        if (first->shape.size() == argument.shape.size() && first->shape[0] != last->shape[0]) return size;
      }
  }
  return "";
}

std::string why_not_tried(EvaluationRun& run) {
  if (!run.along()) return "the candidate has no other points";
  if (!run.subject.problem().deterministic) return "the contract allows the bits to differ from launch to launch";
  if (run.request.may_differ) return "its bits may differ from launch to launch";
  if (!run.workers.native() || run.launch_s < kEmulatedFactSeconds) return "";
  return run.subject.problem().batch_invariant.empty() ? fmt::format("a launch takes {:.2g} s", run.launch_s) : "";
}

Settled settle(EvaluationRun& run, const std::string& size) {
  BatchTrial trial(run, size, true);
  const BatchTrial::Finding finding = trial.find();
  const std::string name = name_of(gate::batch_invariance, size);
  if (trial.failure) {
    run.add({name, false, finding.words}, false);
    return to_outcome(*trial.failure, "launch", run.deadline());
  }
  std::string& fact = run.evaluation.batch_invariant.emplace(run.evaluation.batch_invariant.value_or(""));
  fact += fmt::format("{}{} {}", fact.empty() ? "" : "; ",
                      !finding.same   ? "not checked:"
                      : *finding.same ? "yes"
                                      : "no",
                      finding.words);
  if (!finding.same) return run.add({name, true, "not checked: " + finding.words, false});
  return run.add({name, *finding.same, finding.words});
}

void tell(EvaluationRun& run, const std::string& why) {
  std::string words = "not checked: " + why;
  if (why.empty()) {
    const std::string size = outermost_size(run);
    if (size.empty()) {
      words = "not checked: no size of the domain is the outermost dimension of an output";
    } else {
      const BatchTrial::Finding finding = BatchTrial(run, size, false).find();
      words = (!finding.same ? "not checked: " : *finding.same ? "yes " : "no ") + finding.words;
    }
  }
  run.evaluation.batch_invariant = words;
  run.add({name_of(gate::batch), true, words, false});
}

/// In words: what another configuration left beside the candidate's own first launch.
std::string compared_with(EvaluationRun& run, const Realized& other, const Artifact& artifact, bool& same) {
  same = false;
  Subject subject = run.workers.make_subject(other, artifact, run.request.admission);
  subject.trusted = run.subject.trusted;
  subject.images.push_back(run.workers.make_image(subject.image_bytes()));
  subject.draws = {run.first_draw};
  run.workers.repaint(subject, 0);
  const std::string config = to_text(other.candidate.config);
  const double limit = run.deadline() + run.seconds_at(other);
  std::optional<RunnerFailure> failure = run.workers.runner.prepare(contenders_of({&subject}), limit);
  if (!failure) failure = run.workers.runner.run(0, 0, limit);
  if (failure) return fmt::format("not checked: {} failed: {}", config, failure->detail);
  const std::string difference = difference_in_words(subject, run.first_outputs, 0);
  same = difference.empty();
  return same ? fmt::format("yes: {} gives the same bits", config)
              : fmt::format("no: {} gives other bits: {}", config, difference);
}

}  // namespace

Settled gate_batch_invariance(EvaluationRun& run) {
  if (!run.request.confirm) return std::nullopt;
  const Charge charge(run.evaluation.cost.gates_s);
  const std::vector<std::string>& asked = run.subject.problem().batch_invariant;
  const std::string why = why_not_tried(run);
  if (asked.empty() || !why.empty()) {
    tell(run, why);
    return reload(run);
  }
  for (const std::string& size : asked)
    if (Settled settled = settle(run, size)) return settled;
  return reload(run);
}

Settled compare_configurations(EvaluationRun& run) {
  if (!run.request.confirm) return std::nullopt;
  const Charge charge(run.evaluation.cost.gates_s);
  const auto told = [&](const std::string& words) {
    run.evaluation.configurations_agree = words;
    run.add({name_of(gate::configurations), true, words, false});
    return Settled();
  };
  if (!run.other_configurations()) return told("not checked: the candidate has no other points");
  if (!run.subject.problem().deterministic || run.request.may_differ)
    return told("not checked: the bits may differ from launch to launch");
  const std::vector<Realized> others = run.other_configurations()();
  if (others.empty()) return told("not checked: the variant has one configuration here");
  // A GPU's owner tunes again and wants to know; where launches are emulated a compiler's seconds are too much for it.
  std::string words = "not checked: no other configuration is compiled here";
  int compared = 0;
  for (const Realized& other : others) {
    if (run.workers.native() && !run.workers.builders.has_built(other.build)) continue;
    if (compared++ == kOtherConfigurations) break;
    const BuildResult built = run.workers.await(other.build);
    const auto* const artifact = std::get_if<Artifact>(&built);
    if (artifact == nullptr) {
      words = fmt::format("not checked: {} does not compile", to_text(other.candidate.config));
      continue;
    }
    bool same = false;
    words = compared_with(run, other, *artifact, same);
    if (!same) break;
  }
  told(words);
  return reload(run);
}

}  // namespace harness
