// How far the gates can be trusted, in figures:
//   trust_bench HARNESS aa DEVICE COUNT          a candidate against itself, across processes: how often "faster",
//   "slower" trust_bench HARNESS draws DEVICE             every shipped variant on every workload through a finalist's
//   gates: false alarms trust_bench HARNESS soak DEVICE COUNT DB     honest, hostile and faulty candidates in turn:
//   wrong verdicts, lost rows, memory
// Run from the top folder. HARNESS is the program whose workers are used. Prints one JSON object at the end.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <thread>

#include "harness/campaign/arms.h"
#include "harness/campaign/gatekeeper.h"
#include "harness/core/error.h"
#include "harness/device/cuda/toolkit.h"
#include "harness/evaluate/evaluator.h"
#include "harness/evaluate/workshop.h"
#include "harness/script/catalog.h"
#include "harness/store/store.h"
#include "harness/worker/process.h"
#include "harness/worker/target.h"

using namespace harness;

namespace {

constexpr const char* kKernels[] = {"vector_scale", "softmax", "rmsnorm_int8", "paged_gather", "attention"};

class Bench {
 public:
  explicit Bench(const std::string& device_name)
      : catalog_({"kernels", "tests/hostile", "tests/fixtures/faulty"}, {"kernels/include"}),
        store_(store::Store::in_memory()) {
    for (const DeviceInfo& device : probe_devices())
      if (device.device == device_name && device.available) device_ = device;
    if (device_.device.empty()) throw environment_error("no device " + device_name);
    PipelineEvaluator::Options options;
    const char* cache = std::getenv("HARNESS_CACHE");
    options.target = {device_.device,
                      device_.architecture,
                      cache != nullptr ? cache : "/tmp/trust-cache",
                      "harness/device/cpu/include",
                      cuda::find_toolkit_include(),
                      {}};
    options.device = device_;
    options.limits = default_limits(device_);
    options.builders = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) - 2);
    options.on_wait = [](const std::string& sentence) { fmt::print(stderr, "{}\n", sentence); };
    evaluator_ = std::make_unique<PipelineEvaluator>(std::move(options));
    evaluator_->use_peaks(known_peaks(*evaluator_, *store_));
  }

  Catalog& catalog() { return catalog_; }
  const DeviceInfo& device() const { return device_; }
  PipelineEvaluator& evaluator() { return *evaluator_; }

  const Admission& admission(const std::string& kernel) {
    auto found = admissions_.find(kernel);
    if (found == admissions_.end()) {
      const auto made = known_admission(catalog_, *evaluator_, *store_, kernel);
      if (!made->passed) fmt::print(stderr, "{}\n", refusal(*made));
      found = admissions_.emplace(kernel, *made).first;
    }
    return found->second;
  }

  EvaluationRequest request(const std::string& kernel, const VariantInfo& variant, const std::string& workload,
                            bool finalist) {
    const Config config = catalog_.default_config(kernel, variant.name, workload, device_, {});
    EvaluationRequest request =
        gated_request(catalog_, *evaluator_,
                      catalog_.realize({kernel, variant.name, variant.technique, config}, workload, device_), finalist);
    request.admission = &admission(kernel);
    return request;
  }

 private:
  script::LuaCatalog catalog_;
  std::unique_ptr<store::Store> store_;
  DeviceInfo device_;
  std::unique_ptr<PipelineEvaluator> evaluator_;
  std::map<std::string, Admission> admissions_;
};

std::string message_of(const Evaluation& evaluation) {
  const json error = error_json(evaluation.outcome);
  return error.is_null() ? "" : error.value("message", "");
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

int compare_with_itself(Bench& bench, int count) {
  const KernelInfo& kernel = bench.catalog().kernel("vector_scale");
  const std::string workload = bench.device().emulation ? "n1m_f32" : "n1m_f16";
  std::map<std::string, int> verdicts;
  std::vector<double> ratios;
  const double begin = steady_seconds();
  for (int i = 0; i < count; ++i) {
    EvaluationRequest request = bench.request(kernel.name, kernel.variants[i % 2], workload, false);
    request.admission = nullptr;  // only the timing is on trial
    request.incumbent = Incumbent{request.realized, 1e6, 1.0};
    bench.evaluator().restart_runner();
    const Evaluation evaluation = bench.evaluator().evaluate(request);
    const auto* passed = std::get_if<Passed>(&evaluation.outcome);
    if (passed != nullptr && passed->timing.incumbent_ns)
      ratios.push_back(passed->timing.time_ns / *passed->timing.incumbent_ns);
    if (passed == nullptr || !passed->timing.verdict) ++verdicts["none"];
    else ++verdicts[std::string(name(*passed->timing.verdict))];
    if (i % 100 == 99) fmt::print(stderr, "{} of {}: {}\n", i + 1, count, json(verdicts).dump());
  }
  fmt::print("{}\n", json{{"bench", "aa"},
                          {"device", bench.device().name},
                          {"comparisons", count},
                          {"verdicts", verdicts},
                          {"ratio_1st_percentile", quantile(ratios, 0.01)},
                          {"ratio_99th_percentile", quantile(ratios, 0.99)},
                          {"seconds", steady_seconds() - begin}}
                         .dump());
  return 0;
}

int draw_everything(Bench& bench) {
  int pairs = 0, alarms = 0;
  std::size_t draws = 0, fewest = SIZE_MAX;
  const double begin = steady_seconds();
  for (const char* name : kKernels) {
    const KernelInfo& kernel = bench.catalog().kernel(name);
    for (const VariantInfo& variant : kernel.variants) {
      for (const Workload& workload : kernel.workloads) {
        const bool large = std::find(workload.sets.begin(), workload.sets.end(), "large") != workload.sets.end();
        const std::string kind = bench.device().emulation ? "cpu" : "cuda";
        const auto& devices = workload.devices;
        if (large || std::find(devices.begin(), devices.end(), kind) == devices.end()) continue;
        EvaluationRequest request = bench.request(name, variant, workload.name, true);
        request.gates_only = true;
        const Evaluation evaluation = bench.evaluator().evaluate(request);
        ++pairs;
        draws += evaluation.seeds.size();
        fewest = std::min(fewest, evaluation.seeds.size());
        if (std::holds_alternative<Passed>(evaluation.outcome)) continue;
        ++alarms;
        fmt::print(stderr, "{} {} {}: {}: {}\n", name, variant.name, workload.name, outcome_name(evaluation.outcome),
                   message_of(evaluation));
      }
    }
    fmt::print(stderr, "{}: {} pairs, {} draws, {} alarms, {:.0f} s\n", name, pairs, draws, alarms,
               steady_seconds() - begin);
  }
  fmt::print("{}\n", json{{"bench", "draws"},
                          {"device", bench.device().name},
                          {"pairs", pairs},
                          {"draws", draws},
                          {"fewest_draws", fewest},
                          {"false_alarms", alarms},
                          {"seconds", steady_seconds() - begin}}
                         .dump());
  return alarms == 0 ? 0 : 1;
}

long resident_kb() {
  std::ifstream statm("/proc/self/statm");
  long pages = 0, resident = 0;
  statm >> pages >> resident;
  return resident * 4;
}

struct Trial {
  std::string kernel, variant, workload;
  bool honest = true;
};

/// What may take part: every shipped variant on a small workload, and every attack and fault that this device can run.
std::vector<Trial> trials(Bench& bench, bool honest) {
  std::vector<Trial> all;
  if (honest) {
    for (const char* name : kKernels) {
      const KernelInfo& kernel = bench.catalog().kernel(name);
      const auto workloads = choose_workloads(kernel, {}, bench.device());
      for (const VariantInfo& variant : kernel.variants) all.push_back({name, variant.name, workloads.front(), true});
    }
    return all;
  }
  const json expectations = json::parse(std::ifstream("tests/hostile/expectations.json"));
  const std::string kind = bench.device().emulation ? "cpu" : "cuda";
  for (const json& each : expectations) {
    if (each.at("without_gain").get<bool>()) continue;  // harmless once its memory is scrubbed: it may pass
    const auto devices = each.at("devices").get<std::vector<std::string>>();
    if (std::find(devices.begin(), devices.end(), kind) == devices.end()) continue;
    const KernelInfo& kernel = bench.catalog().kernel(each.at("kernel"));
    all.push_back({kernel.name, each.at("variant"), choose_workloads(kernel, {}, bench.device()).front(), false});
  }
  return all;
}

const VariantInfo& find_variant(const KernelInfo& kernel, const std::string& name) {
  return *std::find_if(kernel.variants.begin(), kernel.variants.end(), [&](const auto& v) { return v.name == name; });
}

int soak(Bench& bench, int count, const std::string& path) {
  const auto ledger = store::Store::open(path, store::Mode::read_write);
  CampaignRecord record;
  record.name = "soak";
  record.device = bench.device().device;
  record.device_name = bench.device().name;
  const std::int64_t campaign = ledger->begin_campaign(record);
  const std::vector<Trial> honest = trials(bench, true), hostile = trials(bench, false);
  int wrong = 0, recorded = 0;
  long early_kb = 0;
  std::map<std::string, int> outcomes;
  const double begin = steady_seconds();
  for (int i = 0; i < count; ++i) {
    const bool attack = i % 5 == 4;
    const Trial& trial = attack ? hostile[static_cast<std::size_t>(i / 5) % hostile.size()]
                                : honest[static_cast<std::size_t>(i) % honest.size()];
    EvaluationRequest request = bench.request(
        trial.kernel, find_variant(bench.catalog().kernel(trial.kernel), trial.variant), trial.workload, false);
    request.confirm = attack;  // an attack that only finalists' gates find is found when it would win
    const Realized& realized = request.realized;
    const std::int64_t attempt =
        ledger->begin_attempt({campaign, 0, realized.candidate, trial.workload, realized.problem.contract_hash,
                               realized.source_hash, 0, "eval"});
    const Evaluation evaluation = bench.evaluator().evaluate(request);
    ledger->end_attempt(attempt, evaluation, false);
    ++recorded;
    ++outcomes[std::string(outcome_name(evaluation.outcome))];
    if (std::holds_alternative<Passed>(evaluation.outcome) == attack) {
      ++wrong;
      fmt::print(stderr, "wrong: {} {} on {}: {}: {}\n", trial.kernel, trial.variant, trial.workload,
                 outcome_name(evaluation.outcome), message_of(evaluation));
    }
    if (i + 1 == std::max(1, count / 10)) early_kb = resident_kb();
    if (i % 100 == 99)
      fmt::print(stderr, "{} of {}: {} wrong, {} KB, {:.0f} s\n", i + 1, count, wrong, resident_kb(),
                 steady_seconds() - begin);
  }
  ledger->end_campaign(campaign, "exhausted", steady_seconds() - begin, std::nullopt);
  const auto rows = ledger->iterations(campaign).size();
  fmt::print("{}\n", json{{"bench", "soak"},
                          {"device", bench.device().name},
                          {"evaluations", count},
                          {"rows", rows},
                          {"lost_rows", recorded - static_cast<int>(rows)},
                          {"wrong_verdicts", wrong},
                          {"outcomes", outcomes},
                          {"resident_kb_at_a_tenth", early_kb},
                          {"resident_kb", resident_kb()},
                          {"seconds", steady_seconds() - begin}}
                         .dump());
  return wrong == 0 && static_cast<int>(rows) == count ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 3) {
    fmt::print(stderr, "usage: trust_bench HARNESS aa|draws|soak DEVICE [COUNT] [DB]\n");
    return 2;
  }
  try {
    Process::set_program(words[0]);
    Bench bench(words[2]);
    const int count = words.size() > 3 ? std::stoi(words[3]) : 1000;
    if (words[1] == "aa") return compare_with_itself(bench, count);
    if (words[1] == "draws") return draw_everything(bench);
    return soak(bench, count, words.size() > 4 ? words[4] : ":memory:");
  } catch (const std::exception& error) {
    fmt::print(stderr, "trust_bench: {}\n", error.what());
    return 3;
  }
}
