// How many wrong kernels pass the gates: random mutations of the shipped kernels (tests/support/mutations.h) on the cpu
// device. Run from the top folder; HARNESS is the program whose workers are used.
//   mutation_bench HARNESS COUNT SEED FOLDER people|conditions [FOLDER OF A KERNEL...]: COUNT mutants of each, written
//   to FOLDER: mistakes as people make them, or a wrong path behind a comparison. Of kernels with a
//   variant 00_honest that alone is changed.
// Each mutant meets a finalist's gates without timing. One that passes is compared with its original at 200 points of
// the domain, in random forms: the same bits everywhere (the mutation means nothing), within tolerance everywhere, or
// wrong. One JSON line a mutant, and one with the sums at the end.
#include <cstdio>
#include <random>

#include "bench/device_bench.h"
#include "harness/core/gates.h"
#include "harness/evaluate/launches.h"
#include "harness/judge/verdict.h"
#include "harness/system/awake_clock.h"
#include "tests/support/mutations.h"

using namespace harness;

namespace {

constexpr int kPoints = 200;
constexpr int kBatch = 8;  // points whose images are held at once
constexpr double kDeadline = 10;

const std::vector<std::string> kKernels{"kernels/vector_scale",   "kernels/softmax",         "kernels/rmsnorm_int8",
                                        "kernels/paged_gather",   "kernels/attention",       "kernels/paged_decode",
                                        "tests/hostile/weighted", "tests/hostile/rowsoftmax"};
// Those that have places for a condition.
const std::vector<std::string> kConditional{
    "tests/hostile/weighted",    "tests/hostile/rowdots", "tests/honest/dot", "tests/honest/expsum",
    "tests/honest/shifted_norm", "tests/honest/rowfirst", "kernels/softmax",  "kernels/rmsnorm_int8"};

/// What a mutant that passed does beside its original.
struct Comparison200 {
  std::string decision = "same";  // "within tolerance", "wrong"
  std::string where;
  int points = 0, differing = 0;
};

/// Comparisons are followed where a time would make a winner.
DeviceInfo predicting(DeviceInfo device) {
  device.predicts = "H200";
  return device;
}

class MutationBench {
 public:
  MutationBench(const std::filesystem::path& folder)
      : catalog_({folder}, {"kernels/include"}),
        store_(store::Store::in_memory()),
        device_(predicting(bench::find_device("cpu"))),
        target_(bench::make_target(device_)),
        kind_(find_kind(bench::kinds(), "cpu")),
        builders_(target_, 1),
        judge_(target_, {}),
        runner_(target_, {}),
        workers_{kind_, target_, device_, default_limits(device_), {}, builders_, judge_, runner_, nullptr, {}} {
    PipelineOptions options;
    options.device = {&kind_, target_, device_};
    options.limits = default_limits(device_);
    options.builders = 2;
    evaluator_ = std::make_unique<PipelineEvaluator>(std::move(options));
  }

  Catalog& catalog() { return catalog_; }
  const Admission& admission(const std::string& kernel) {
    auto found = admissions_.find(kernel);
    if (found == admissions_.end()) {
      const auto made = known_admission(catalog_, *evaluator_, *store_, kernel);
      if (!made->passed) fmt::print(stderr, "{}\n", refusal(*made));
      found = admissions_.emplace(kernel, *made).first;
    }
    return found->second;
  }

  std::optional<Candidate> candidate(const std::string& kernel, const std::string& variant,
                                     const std::string& workload) {
    if (!catalog_.plugin(kernel).has_configuration(variant, workload, device_)) return std::nullopt;
    return Candidate{kernel, variant, "", catalog_.plugin(kernel).default_config(variant, workload, device_, {})};
  }

  Evaluation evaluate(const Candidate& candidate, const std::string& workload) {
    EvaluationRequest request =
        gated_request(catalog_, *evaluator_, catalog_.plugin(candidate.kernel).realize(candidate, workload, device_),
                      Points::finalist);
    request.admission = &admission(candidate.kernel);
    request.confirm = request.gates_only = true;
    return evaluator_->evaluate(request);
  }

  Comparison200 compare(const Candidate& original, const Candidate& mutant, const std::string& workload) {
    Comparison200 result;
    std::mt19937_64 random(20251123);
    const Artifact honest =
        std::get<Artifact>(workers_.await(catalog_.plugin(original.kernel).realize(original, workload, device_).build));
    const Artifact other =
        std::get<Artifact>(workers_.await(catalog_.plugin(mutant.kernel).realize(mutant, workload, device_).build));
    const Admission& known = admission(original.kernel);
    const std::vector<std::string> forms =
        admitted_forms(known, workload_group(catalog_.plugin(original.kernel).problem(workload).workload));
    for (int round = 0; result.points < kPoints && round < 4 * kPoints / kBatch; ++round) {
      const std::uint64_t seed = random() >> 1;
      const auto right = catalog_.plugin(original.kernel).neighbours(original, workload, device_, kBatch, seed);
      const auto wrong = catalog_.plugin(mutant.kernel).neighbours(mutant, workload, device_, kBatch, seed);
      std::vector<Subject> subjects;
      for (std::size_t i = 0; i < std::min(right.size(), wrong.size()); ++i) {
        const std::string form = forms[random() % forms.size()];
        subjects.push_back(painted(right[i], honest, known, form));
        subjects.push_back(painted(wrong[i], other, known, form));
        // The same draw for both.
        subjects.back().draws[0] = subjects[subjects.size() - 2].draws[0];
        workers_.repaint(subjects.back(), 0);
      }
      runner_.kill();
      std::vector<Contender> contenders;
      for (const Subject& subject : subjects) contenders.push_back({&subject.executable, {&subject.images[0]}});
      if (runner_.prepare(contenders, kDeadline)) return result;
      for (std::size_t i = 0; i < subjects.size(); i += 2) {
        if (!compare_at(subjects, i, result)) return result;
        if (++result.points == kPoints) break;
      }
    }
    return result;
  }

 private:
  Subject painted(const Realized& realized, const Artifact& artifact, const Admission& known, const std::string& form) {
    Subject subject = workers_.make_subject(realized, artifact, &known);
    subject.executable.problem = with_tolerances(realized.problem, &known, form);
    subject.trusted = workers_.build_trusted(realized);
    workers_.paint(subject, 0, form);
    return subject;
  }

  /// False: the comparison is over.
  bool compare_at(std::vector<Subject>& subjects, std::size_t i, Comparison200& result) {
    const auto where = [&] {
      return fmt::format("{}, {}, seed {}", subjects[i].problem().workload.name, subjects[i].draws[0].form,
                         subjects[i].draws[0].seed);
    };
    if (const auto failure = runner_.run(i, 0, kDeadline)) {
      result.where = "the original failed: " + failure->detail;
      return false;
    }
    const Launched launched = launch_and_judge(workers_, subjects[i + 1], i + 1, 0, kDeadline);
    const judge::Bytes left = output_bytes(subjects[i], 0), other = output_bytes(subjects[i + 1], 0);
    const bool same = !launched.failure && std::ranges::equal(left, other);
    if (same) return true;
    ++result.differing;
    if (launched.passed()) {
      if (result.decision == "same") result.decision = "within tolerance", result.where = where();
      return true;
    }
    const GateResult* const failed = first_failed(launched.verdict.gates);
    result.decision = "wrong";
    result.where =
        where() + ": " + (launched.failure ? launched.failure->detail : failed->name + ": " + failed->detail);
    return false;
  }

  script::LuaCatalog catalog_;
  std::unique_ptr<store::Store> store_;
  DeviceInfo device_;
  Target target_;
  const DeviceKind& kind_;
  Builders builders_;
  JudgeProcess judge_;
  Runner runner_;
  WorkerPool workers_;
  std::unique_ptr<PipelineEvaluator> evaluator_;
  std::map<std::string, Admission> admissions_;
};

std::string first_message(const Evaluation& evaluation) {
  const json error = error_json(evaluation.outcome);
  return error.is_null() ? "" : error.value("message", "").substr(0, 300);
}

int run(int count, std::uint64_t seed, const std::filesystem::path& folder, tests::MutationsOf of,
        const std::vector<std::string>& folders) {
  std::map<std::string, std::vector<tests::Mutant>> mutants;
  std::vector<std::string> kernels;
  for (const std::filesystem::path from : folders) {
    const std::string only = std::filesystem::exists(from / "variants/00_honest.cu") ? "00_honest" : "";
    kernels.push_back(from.filename());
    constexpr std::uint64_t kApart = 1'000'003;  // else all kernels would get the same conditions
    mutants[kernels.back()] =
        tests::write_mutants(from, folder, kernels.back(), seed + kApart * kernels.size(), count, only, of);
  }
  MutationBench bench(folder);
  std::map<std::string, int> outcomes, decisions;
  const DeviceInfo device = predicting(bench::find_device("cpu"));
  for (int i = 0; i < count; ++i) {
    for (const std::string& kernel : kernels) {
      if (i >= static_cast<int>(mutants[kernel].size())) continue;
      const tests::Mutant& mutant = mutants[kernel][static_cast<std::size_t>(i)];
      const std::vector<std::string> workloads = choose_workloads(bench.catalog().kernel(kernel), {}, device);
      const std::string& workload = workloads[static_cast<std::size_t>(i) % workloads.size()];
      const auto candidate = bench.candidate(kernel, mutant.variant, workload);
      if (!candidate) continue;
      const double begin_s = awake_seconds();
      const Evaluation evaluation = bench.evaluate(*candidate, workload);
      const std::string outcome(outcome_name(evaluation.outcome));
      const GateResult* const failed = first_failed(evaluation.gates);
      ++outcomes[outcome];
      json line{{"kernel", kernel},
                {"original", mutant.original},
                {"variant", mutant.variant},
                {"mutation", mutant.words},
                {"workload", workload},
                {"outcome", outcome},
                {"gate", failed == nullptr ? "" : failed->name},
                {"message", first_message(evaluation)},
                {"seconds", awake_seconds() - begin_s},
                {"build_s", evaluation.cost.build_s},
                {"gates_s", evaluation.cost.gates_s}};
      if (outcome == "passed") {
        const auto original = bench.candidate(kernel, mutant.original, workload);
        const Comparison200 beside = bench.compare(*original, *candidate, workload);
        ++decisions[beside.decision];
        line["decision"] = beside.decision;
        line["points"] = beside.points;
        line["differing"] = beside.differing;
        line["where"] = beside.where;
        for (const GateResult& row : evaluation.gates)
          if (row.name == "comparisons") line["comparisons"] = row.detail;
      }
      std::puts(json_text(line).c_str());
      std::fflush(stdout);
    }
  }
  std::puts(json_text(json{{"outcomes", outcomes}, {"passed", decisions}, {"gates_version", kGatesVersion}}).c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string of = argc < 6 ? "" : argv[5];
  if (of != "people" && of != "conditions") {
    fmt::print(stderr, "mutation_bench HARNESS COUNT SEED FOLDER people|conditions [FOLDER OF A KERNEL...]\n");
    return 2;
  }
  Process::set_program(argv[1]);
  const std::vector<std::string> kernels(argv + 6, argv + argc);
  try {
    const bool people = of == "people";
    return run(std::stoi(argv[2]), std::stoull(argv[3]), argv[4],
               people ? tests::MutationsOf::people : tests::MutationsOf::conditions,
               !kernels.empty() ? kernels
               : people         ? kKernels
                                : kConditional);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
