#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <set>

#include "harness/core/error.h"
#include "harness/judge/bytes.h"
#include "harness/judge/contract_facts.h"
#include "harness/judge/custom.h"
#include "harness/judge/draw.h"
#include "harness/judge/elements.h"
#include "harness/judge/forms.h"
#include "harness/judge/integer_forms.h"
#include "harness/judge/mutants.h"
#include "harness/judge/npy.h"
#include "harness/judge/paint.h"
#include "harness/judge/reference.h"
#include "harness/judge/sums.h"
#include "harness/judge/terms.h"
#include "harness/judge/verdict.h"
#include "harness/system/resource_limits.h"
#include "harness/worker/processes/device_judging.h"
#include "harness/worker/processes/judge_process.h"
#include "harness/worker/reference/python_reference.h"

namespace harness {
namespace {

class JudgeService {
 public:
  JudgeService(const DeviceKinds& kinds, Target target)
      : kinds_(kinds), target_(std::move(target)), program_(torch_device(target_), target_.trust_source) {}

  /// Of a message that comes with one.
  SharedMemory map(int descriptor, std::size_t bytes) {
    if (target_.native) return {descriptor, bytes};
    return mapped_.map(descriptor, bytes);
  }

  /// `image`: what the candidate's process maps too; empty for what needs none.
  json answer(const json& body, std::span<std::byte> image) {
    const std::string op = body.at("op");
    if (op == "forget") {
      kept_.clear();
      known_.clear();
      return json::object();
    }
    if (op == "announce") {
      program_.begin(body.at("program"));
      return json::object();
    }
    const Case subject{body.at("executable").get<Executable>(), body.at("trusted").get<JudgeProcess::Trusted>(),
                       body.at("draw").get<DrawId>()};
    if (op == "paint") return paint(subject, image);
    if (op == "errors") return errors(subject, image, body.at("impostor"));
    if (op == "mutants") return {{"mutants", mutants(subject)}};
    if (op == "contract") return review(subject);
    reference_s_ = 0;
    const Verdict decided = verdict(subject, image);
    return {{"verdict", decided}, {"reference_s", reference_s_}};
  }

  /// Makes what judges on a device before the first request asks for it, which takes a second or two; the first request
  /// tries again where that fails, and says why.
  void warm() {
    if (target_.native) return;
    try {
      device();
    } catch (const std::exception&) {
      asked_for_device_ = false;
    }
  }

 private:
  Session& session() {
    if (!session_) session_ = find_kind(kinds_, target_.device).make_session(target_);
    return *session_;
  }

  /// What every request names.
  struct Case {
    Executable executable;
    JudgeProcess::Trusted trusted;
    DrawId draw;
  };

  judge::Bytes painted(const Case& subject) {
    judge::Bytes own(static_cast<std::size_t>(subject.executable.layout.bytes));
    const Problem& problem = subject.executable.problem;
    judge::paint(problem, subject.executable.plan, subject.executable.layout, subject.draw.seed, own,
                 {.form = subject.draw.form, .fresh = subject.draw.fresh, .constants = subject.draw.constants});
    place_custom_draws(subject, own);
    return own;
  }

  void place_custom_draws(const Case& subject, std::span<std::byte> image) {
    const Problem& problem = subject.executable.problem;
    for (const std::string& name : judge::needs_custom_draw(problem)) {
      const Argument& argument = *find_argument(problem, name);
      judge::CustomJob job = judge::custom_draw_job(
          problem, argument,
          judge::seed_of(subject.executable.layout, argument, subject.draw.seed, subject.draw.constants),
          subject.executable.layout, image);
      run(job, subject.trusted);
      judge::place_custom_draw(argument, job, subject.executable.layout, image);
    }
  }

  json paint(const Case& subject, std::span<std::byte> image) {
    if (const DeviceImage* const there = kept_on_device(subject)) device_->read(*there, image);
    else judge::copy_bytes(*kept(subject), image);
    return json::object();
  }

  /// Null: this image is not for a device. Its inputs of which a device knows nothing are drawn here.
  const DeviceImage* kept_on_device(const Case& subject) {
    if (!DeviceJudging::is_worth_it(subject.executable.layout) || !device()) return nullptr;
    Kept& entry = entry_of(subject);
    if (entry.on_device) return entry.on_device.get();
    if (!DeviceJudging::can_paint(subject.executable, subject.draw)) {
      entry.on_device = device_->upload(*kept(subject));
    } else {
      judge::Bytes rest(static_cast<std::size_t>(subject.executable.layout.bytes));
      const auto given = judge::paint_rest(subject.executable.problem, subject.executable.layout, subject.draw.seed,
                                           rest, subject.draw.form, subject.draw.constants);
      place_custom_draws(subject, rest);
      entry.on_device = device_->paint(subject.executable, subject.draw, rest, given);
    }
    return entry.on_device.get();
  }

  /// Null where the kind has none. Made when the first image asks for it.
  DeviceJudging* device() {
    if (!asked_for_device_) {
      asked_for_device_ = true;
      if (auto judge_there = find_kind(kinds_, target_.device).make_judge(target_))
        device_.emplace(std::move(judge_there));
    }
    return device_ ? &*device_ : nullptr;
  }

  /// What is too small for a device never goes there.
  std::shared_ptr<void> hold(std::span<std::byte> memory) {
    DeviceJudging* const judging = DeviceJudging::is_worth_it(memory.size()) ? device() : nullptr;
    return judging != nullptr ? judging->hold(memory) : nullptr;
  }

  static std::string key(const Case& subject) {
    const Executable& executable = subject.executable;  // workspaces are painted, too
    return fmt::format("{} {} {} {}", executable.problem.contract_hash, json_text(subject.draw),
                       json_text(executable.layout), json_text(executable.plan.workspaces));
  }

  /// An image as it was painted, in memory of its own: a process that still maps the shared one must not change what
  /// is remembered. Either may be missing, and is made when it is asked for.
  struct Kept {
    std::string name;
    std::shared_ptr<const judge::Bytes> here;
    std::unique_ptr<DeviceImage> on_device;
    std::size_t bytes = 0;
  };

  /// The last few are kept; any other is painted again, for a draw is a function of its seed.
  Kept& entry_of(const Case& subject) {
    constexpr std::size_t kMost = 4, kMostBytes = std::size_t{1} << 30;
    const std::string name = key(subject);
    auto bytes = static_cast<std::size_t>(subject.executable.layout.bytes);
    for (Kept& image : kept_) {
      if (image.name == name) return image;
      bytes += image.bytes;
    }
    while (!kept_.empty() && (kept_.size() >= kMost || bytes > kMostBytes)) {
      bytes -= kept_.front().bytes;
      kept_.pop_front();
    }
    Kept& entry = kept_.emplace_back();
    entry.name = name;
    entry.bytes = static_cast<std::size_t>(subject.executable.layout.bytes);
    return entry;
  }

  std::shared_ptr<const judge::Bytes> kept(const Case& subject) {
    Kept& entry = entry_of(subject);
    if (!entry.here) entry.here = std::make_shared<const judge::Bytes>(painted(subject));
    return entry.here;
  }

  judge::ReferenceJob reference_job(const Case& subject) {
    judge::ReferenceJob job = judge::make_reference_job(subject.executable.problem, "");
    job.executable.artifact = subject.trusted.reference;
    return job;
  }

  judge::ReferenceValues reference(const Case& subject, std::span<const std::byte> before) {
    const auto begin = std::chrono::steady_clock::now();
    judge::ReferenceValues values = computed(subject, before);
    reference_s_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return values;
  }

  judge::ReferenceValues computed(const Case& subject, std::span<const std::byte> before) {
    const Problem& problem = subject.executable.problem;
    if (judge::is_program(problem.reference)) return program_.compute(problem, subject.executable.layout, before);
    const judge::ReferenceJob job = reference_job(subject);
    judge::Bytes image = judge::reference_image(problem, subject.executable.layout, before, job);
    session().run(job.executable, image);
    return judge::read_reference(problem, job, image);
  }

  Verdict verdict(const Case& subject, std::span<const std::byte> shared) {
    check_golden(subject);
    if (std::optional<Verdict> passed = verdict_by_device(subject, shared)) return *passed;
    const judge::Bytes after = judge::copy_of(shared);  // nothing can change what is judged
    return judged(subject, *kept(subject), after);
  }

  /// Nothing where it does not pass there: what is refused is refused by what is computed here.
  std::optional<Verdict> verdict_by_device(const Case& subject, std::span<const std::byte> shared) {
    const auto begin = std::chrono::steady_clock::now();
    try {
      const DeviceImage* const before = kept_on_device(subject);
      if (before == nullptr) return std::nullopt;
      if (judge::is_program(subject.executable.problem.reference))
        return device_->passing_verdict(subject.executable, subject.draw, reference_job(subject), *before, shared,
                                        &values_of(subject, *before));
      auto passed = device_->passing_verdict(subject.executable, subject.draw, reference_job(subject), *before, shared);
      reference_s_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      return passed;
    } catch (const DeviceMemoryExhausted&) {
      return std::nullopt;
    }
  }

  /// What a program computes for a draw: the last few are kept, for a draw may be judged twice.
  const judge::ReferenceValues& values_of(const Case& subject, const DeviceImage& before) {
    const judge::ReferenceValues* const known = known_values(subject);
    if (known != nullptr) return *known;
    judge::Bytes image(static_cast<std::size_t>(subject.executable.layout.bytes));
    device_->read(before, image);
    return values_of(subject, image);
  }

  const judge::ReferenceValues& values_of(const Case& subject, std::span<const std::byte> before) {
    constexpr std::size_t kMost = 4;
    if (const judge::ReferenceValues* const known = known_values(subject)) return *known;
    judge::ReferenceValues values = reference(subject, before);
    while (known_.size() >= kMost) known_.pop_front();
    return known_.emplace_back(name_of_values(subject), std::move(values)).second;
  }

  const judge::ReferenceValues* known_values(const Case& subject) const {
    const auto at = std::ranges::find(known_, name_of_values(subject), &KnownValues::first);
    return at == known_.end() ? nullptr : &at->second;
  }

  static std::string name_of_values(const Case& subject) {
    return key(subject) + " " + subject.executable.problem.workload.name;
  }

  Verdict judged(const Case& subject, std::span<const std::byte> before, std::span<const std::byte> after) {
    judge::ReferenceValues values = judge::is_program(subject.executable.problem.reference)
                                        ? values_of(subject, before)
                                        : reference(subject, before);
    const Verdict verdict = decide(subject, subject.executable.problem, before, after, values);
    if (!judge::may_be_longer_sums(subject.executable.problem, verdict))
      return less_cancellation(subject, subject.executable.problem, verdict, before, after, values);
    const Problem longer = longer_sums(subject, before, values);
    return less_cancellation(subject, longer, decide(subject, longer, before, after, values), before, after, values);
  }

  /// The problem, whose sums are as long as changed inputs show them to be.
  Problem longer_sums(const Case& subject, std::span<const std::byte> before, const judge::ReferenceValues& right) {
    const Problem& problem = subject.executable.problem;
    const std::vector<judge::Probe> probes = judge::choose_probes(problem, subject.draw.seed);
    std::vector<judge::ReferenceValues> changed;
    for (const judge::Probe& probe : probes) {
      judge::Bytes other = judge::copy_of(before);
      judge::change_element(problem, subject.executable.layout, probe, other);
      changed.push_back(reference(subject, other));
    }
    return judge::with_sums(problem, judge::sum_lengths(problem, right, probes, changed), subject.draw.form,
                            impostor_errors(subject, before, right));
  }

  /// The verdict, or another where sums whose terms cancel explain what failed.
  Verdict less_cancellation(const Case& subject, const Problem& problem, const Verdict& verdict,
                            std::span<const std::byte> before, std::span<const std::byte> after,
                            judge::ReferenceValues& values) {
    if (!judge::may_be_cancellation(problem, verdict, subject.draw.form)) return verdict;
    std::vector<judge::ChangedPair> changed;
    for (int trial = 0; trial < judge::count_term_trials(problem, subject.draw.form); ++trial) {
      const auto beside = [&](double change) {
        judge::Bytes other = judge::copy_of(before);
        judge::change_inputs(problem, subject.executable.layout, subject.draw.seed + static_cast<std::uint64_t>(trial),
                             change, other);
        return reference(subject, other);
      };
      const double change = judge::term_change(problem);
      changed.push_back({beside(change), beside(-change), beside(change / 2), beside(-change / 2)});
    }
    judge::measure_terms(problem, values, changed, subject.draw.form);
    return decide(subject, problem, before, after, values);
  }

  Verdict decide(const Case& subject, const Problem& problem, std::span<const std::byte> before,
                 std::span<const std::byte> after, const judge::ReferenceValues& values) {
    const Executable& executable = subject.executable;
    std::map<std::string, GateResult> decided;
    for (const std::string& name : judge::needs_custom_compare(problem)) {
      judge::CustomJob compare =
          judge::custom_compare_job(problem, *find_argument(problem, name), executable.layout, after, values.at(name));
      run(compare, subject.trusted);
      decided[name] = judge::read_custom_compare(compare);
    }
    return judge::judge(problem, executable.plan, executable.layout, before, after, values, subject.draw.seed, decided);
  }

  judge::ReferenceValues impostor(const Case& subject, std::span<const std::byte> before) {
    judge::Bytes lower = judge::copy_of(before);
    judge::round_inputs(subject.executable.problem, subject.executable.layout, lower);
    return reference(subject, lower);
  }

  json errors(const Case& subject, std::span<const std::byte> after, bool with_impostor) {
    if (!with_impostor)
      if (const auto measured = errors_by_device(subject, after))
        return {{"honest", *measured}, {"impostor", json::object()}};
    const auto drawn = kept(subject);
    const std::span<const std::byte> before = *drawn;
    const Problem& problem = subject.executable.problem;
    const ImageLayout& layout = subject.executable.layout;
    const judge::ReferenceValues right = reference(subject, before);
    json reply{{"honest", judge::output_errors(problem, layout, before, after, right)}, {"impostor", json::object()}};
    if (with_impostor) reply["impostor"] = impostor_errors(subject, before, right);
    return reply;
  }

  /// By output; 0 where one precision lower means nothing.
  std::map<std::string, double> impostor_errors(const Case& subject, std::span<const std::byte> before,
                                                const judge::ReferenceValues& right) {
    const Problem& problem = subject.executable.problem;
    const ImageLayout& layout = subject.executable.layout;
    const judge::ReferenceValues lower = impostor(subject, before);
    const judge::MutantSources sources{problem, layout, before, right, right, right, lower};
    const std::vector<std::byte> honest = judge::honest_image(sources);
    std::map<std::string, double> errors;
    for (const Argument& a : problem.arguments) {
      if (!is_written(a.kind) || a.absent) continue;
      const auto image = judge::mutant_image(sources, honest, "one precision lower", a);
      errors[a.name] = image ? judge::output_errors(problem, layout, before, *image, right).at(a.name) : 0;
    }
    return errors;
  }

  std::optional<std::map<std::string, double>> errors_by_device(const Case& subject, std::span<const std::byte> after) {
    try {
      const DeviceImage* const before = kept_on_device(subject);
      if (before == nullptr) return std::nullopt;
      if (judge::is_program(subject.executable.problem.reference))
        return device_->errors(subject.executable, reference_job(subject), *before, after,
                               &values_of(subject, *before));
      return device_->errors(subject.executable, reference_job(subject), *before, after);
    } catch (const DeviceMemoryExhausted&) {
      return std::nullopt;
    }
  }

  std::vector<MutantTrial> mutants(const Case& subject) {
    const auto drawn = [&](std::uint64_t seed) {
      Case other = subject;
      other.draw.seed = seed;
      return reference(other, painted(other));
    };
    const judge::Bytes before = painted(subject);
    const judge::ReferenceValues right = reference(subject, before), previous = drawn(subject.draw.seed + 1),
                                 other = drawn(subject.draw.seed + 2), lower = impostor(subject, before);
    const judge::MutantSources sources{
        subject.executable.problem, subject.executable.layout, before, right, previous, other, lower};
    std::vector<MutantTrial> trials;
    const auto judge_one = [&](const std::string& name, const std::string& output, std::span<const std::byte> image) {
      const Verdict verdict = decide(subject, subject.executable.problem, before, image, right);
      const GateResult* const failed = first_failed(verdict.gates);
      trials.push_back({name, output, failed == nullptr ? "" : failed->name, failed == nullptr ? "" : failed->detail});
    };
    const std::vector<std::byte> honest = judge::honest_image(sources);
    judge_one("the right answer", "", honest);
    for (const Argument& a : subject.executable.problem.arguments) {
      if (!is_written(a.kind) || a.absent) continue;
      for (const std::string& name : judge::mutant_names())
        if (const auto image = judge::mutant_image(sources, honest, name, a)) judge_one(name, a.name, *image);
    }
    return trials;
  }

  /// What the contract's draws and its reference are like, from three draws of this seed on.
  json review(const Case& subject) {
    const Problem& problem = subject.executable.problem;
    const ImageLayout& layout = subject.executable.layout;
    Draws draws;
    for (const std::uint64_t seed : {0, 1, 2}) draw(subject, subject.draw.seed + seed, "nominal", draws);
    std::vector<std::string> problems = judge::not_a_number(problem, layout, draws.back());
    for (std::string& sentence :
         judge::changes_by_itself(problem, draws.values.front(), reference(subject, draws.images.front())))
      problems.push_back(std::move(sentence));
    const auto constant = judge::constant_inputs(problem, layout, draws.spans());
    const bool moves = std::ranges::any_of(problem.arguments, judge::is_drawn);
    std::vector<std::string> same = judge::same_outputs(problem, layout, draws.all());
    if (!same.empty() && moves)  // a rare value may take a form to show
      for (const std::string& form : judge::draw_forms())
        if (form != "nominal" && judge::has_form(problem, form) &&
            std::ranges::find(problem.forms.except, form) == problem.forms.except.end())
          draw(subject, subject.draw.seed, form, draws);
    if (!same.empty()) same = judge::same_outputs(problem, layout, draws.all());
    if (moves)
      for (const std::string& name : same)
        problems.push_back(fmt::format(
            "'{}' follows from no input: the reference is the same for {} draws of other inputs, so a kernel that "
            "computes nothing passes; mend the reference, or draw inputs that change it",
            name, draws.images.size()));
    return {{"problems", problems}, {"constant", constant}};
  }

  struct Draws {
    std::deque<judge::Bytes> images;
    std::deque<judge::ReferenceValues> values;
    std::vector<std::span<const std::byte>> spans() const { return {images.begin(), images.end()}; }
    std::vector<judge::DrawnReference> all() const {
      std::vector<judge::DrawnReference> all;
      for (std::size_t i = 0; i < images.size(); ++i) all.push_back({images[i], values[i]});
      return all;
    }
    judge::DrawnReference back() const { return {images.back(), values.back()}; }
  };

  void draw(const Case& subject, std::uint64_t seed, const std::string& form, Draws& draws) {
    Case other = subject;
    other.draw.seed = seed;
    other.draw.form = form;
    draws.images.push_back(painted(other));
    draws.values.push_back(reference(other, draws.images.back()));
  }

  // The reference itself against arrays from elsewhere, where the kernel has some: once for each contract.
  void check_golden(const Case& subject) {
    const Problem& problem = subject.executable.problem;
    if (!golden_checked_.insert(problem.contract_hash).second) return;
    for (const std::string& folder : problem.reference.golden) {
      const auto before = kept(subject);
      std::vector<std::byte> golden(before->begin(), before->end());
      judge::place_golden_inputs(problem, subject.executable.layout, folder, golden);
      if (const auto wrong = judge::compare_golden(problem, computed(subject, golden), folder))
        throw bad_input(fmt::format("its reference disagrees with the golden arrays: {}", *wrong));
    }
  }

  void run(judge::CustomJob& job, const JudgeProcess::Trusted& trusted) {
    job.executable.artifact = trusted.custom.at(job.source);
    session().run(job.executable, job.image);
  }

  const DeviceKinds& kinds_;
  Target target_;
  std::unique_ptr<Session> session_;
  PythonReference program_;
  std::optional<DeviceJudging> device_;
  bool asked_for_device_ = false;
  MappedMemory mapped_{[this](std::span<std::byte> memory) { return hold(memory); }};
  std::deque<Kept> kept_;
  using KnownValues = std::pair<std::string, judge::ReferenceValues>;
  std::deque<KnownValues> known_;
  std::set<std::string> golden_checked_;  // contract hashes
  double reference_s_ = 0;                // spent on references for the current request
};

json guarded(JudgeService& service, Message& message) {
  try {
    if (message.descriptors.empty()) return service.answer(message.body, {});
    const auto bytes = message.body.at("executable").at("layout").at("bytes").get<std::size_t>();
    const SharedMemory image = service.map(message.descriptors.at(0), bytes);
    return service.answer(message.body, image.bytes());
  } catch (const DeviceFault& fault) {
    return {{"error", fmt::format("the reference itself failed on the device: {}", fault.what())}, {"broken", true}};
  } catch (const DeviceMemoryExhausted& memory) {
    return {{"error", memory.what()}, {"environment", true}};
  } catch (const Error& error) {
    return {{"error", error.what()}, {"environment", error.kind() == Error::Kind::environment}};
  } catch (const std::bad_alloc&) {
    return {{"error", "there is no memory left for it"}, {"environment", true}};
  } catch (const std::exception& error) {
    return {{"error", error.what()}};
  }
}

}  // namespace

int serve_judge(const DeviceKinds& kinds) {
  Channel channel(3);
  Message message;
  if (channel.receive(message, -1) != Channel::Status::ok) return 0;
  const Target target = message.body.get<Target>();
  if (target.beside) take_free_cores();
  JudgeService service(kinds, target);
  service.warm();
  while (channel.receive(message, -1) == Channel::Status::ok)
    if (!channel.send(guarded(service, message))) break;
  return 0;
}

}  // namespace harness
