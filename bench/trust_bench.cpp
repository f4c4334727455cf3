// How far the gates can be trusted, in figures. Run from the top folder; HARNESS is the program whose workers are used.
//   trust_bench HARNESS aa DEVICE COUNT: a candidate against itself, across processes: how often faster or slower
//   trust_bench HARNESS draws DEVICE [KERNEL]: every shipped variant on every workload through a finalist's gates
//   trust_bench HARNESS gates DEVICE COUNT: what gates cost beside the references they compute
//   trust_bench HARNESS soak DEVICE COUNT DB [SECONDS]: honest, hostile and faulty candidates in turn: wrong verdicts,
//     lost rows, memory; ends early when the seconds are over
// Prints one JSON object at the end.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <thread>

#include "bench/device_bench.h"
#include "harness/system/awake_clock.h"
#include "harness/system/files.h"

using namespace harness;
using bench::Bench;

namespace {

constexpr const char* kKernels[] = {"vector_scale", "softmax", "rmsnorm_int8", "paged_gather", "attention"};

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
  std::map<std::string, double>
      own_ns;  // an incumbent three times as slow by its record is not timed beside the candidate
  double timing_s = 0;
  const double begin = awake_seconds();
  for (int i = 0; i < count; ++i) {
    EvaluationRequest request = bench.request(kernel.name, kernel.variants[i % 2], workload, false);
    request.admission = nullptr;  // only the timing is on trial
    double& own = own_ns[kernel.variants[static_cast<std::size_t>(i) % 2].name];
    if (own == 0) {
      const Evaluation alone = bench.evaluator().evaluate(request);
      const auto* timed = std::get_if<Passed>(&alone.outcome);
      if (timed == nullptr) return 1;
      own = timed->timing.time_ns;
    }
    request.incumbent = Incumbent{request.realized, own, 1.0};
    bench.evaluator().restart_runner();
    const Evaluation evaluation = bench.evaluator().evaluate(request);
    timing_s += evaluation.cost.timing_s;
    const auto* passed = std::get_if<Passed>(&evaluation.outcome);
    if (passed != nullptr && passed->timing.incumbent_ns)
      ratios.push_back(passed->timing.time_ns / *passed->timing.incumbent_ns);
    if (passed == nullptr || !passed->timing.verdict) ++verdicts["none"];
    else ++verdicts[std::string(name(*passed->timing.verdict))];
    if (i % 20 == 19) fmt::print(stderr, "{} of {}: {}\n", i + 1, count, json_text(verdicts));
  }
  fmt::print("{}\n", json_text(json{{"bench", "aa"},
                                    {"device", bench.device().name},
                                    {"comparisons", count},
                                    {"verdicts", verdicts},
                                    {"ratio_1st_percentile", quantile(ratios, 0.01)},
                                    {"ratio_99th_percentile", quantile(ratios, 0.99)},
                                    {"timing_s_each", timing_s / count},
                                    {"seconds", awake_seconds() - begin}}));
  return 0;
}

int draw_everything(Bench& bench, const std::string& only) {
  int pairs = 0, alarms = 0;
  std::size_t draws = 0, fewest = SIZE_MAX;
  const double begin = awake_seconds();
  for (const char* name : kKernels) {
    if (!only.empty() && only != name) continue;
    const KernelInfo& kernel = bench.catalog().kernel(name);
    for (const VariantInfo& variant : kernel.variants) {
      for (const Workload& workload : kernel.workloads) {
        const bool large = std::find(workload.sets.begin(), workload.sets.end(), "large") != workload.sets.end();
        if (large || !is_sensible_on(workload, bench.device())) continue;
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
               awake_seconds() - begin);
  }
  fmt::print("{}\n", json_text(json{{"bench", "draws"},
                                    {"device", bench.device().name},
                                    {"pairs", pairs},
                                    {"draws", draws},
                                    {"fewest_draws", fewest},
                                    {"false_alarms", alarms},
                                    {"seconds", awake_seconds() - begin}}));
  return alarms == 0 ? 0 : 1;
}

/// What the gates of a search's evaluation cost beside the references they compute, on the kernels' timed workloads.
int cost_of_gates(Bench& bench, int count) {
  json rows = json::array();
  for (const char* name : {"vector_scale", "softmax", "attention"}) {
    const KernelInfo& kernel = bench.catalog().kernel(name);
    for (const VariantInfo& variant : kernel.variants) {
      if (!bench.catalog().plugin(name).unsupported_reason(variant.name, bench.device()).empty()) continue;
      for (const std::string& workload : choose_workloads(kernel, {"default", "seeds"}, bench.device())) {
        std::vector<double> gates, references;
        for (int i = 0; i <= count; ++i) {  // the first one builds
          const double before = bench.evaluator().reference_seconds();
          const Evaluation evaluation = bench.evaluator().evaluate(bench.request(name, variant, workload, false));
          if (i == 0 || !std::holds_alternative<Passed>(evaluation.outcome)) continue;
          gates.push_back(evaluation.cost.gates_s);
          references.push_back(bench.evaluator().reference_seconds() - before);
        }
        if (gates.empty()) continue;
        const double gate_s = quantile(gates, 0.5), reference_s = quantile(references, 0.5);
        rows.push_back({{"kernel", name},
                        {"variant", variant.name},
                        {"workload", workload},
                        {"gates_s", gate_s},
                        {"references_s", reference_s},
                        {"beyond_1.5_references_s", gate_s - 1.5 * reference_s}});
        fmt::print(stderr, "{} {} {}: gates {:.3f} s, references {:.3f} s\n", name, variant.name, workload, gate_s,
                   reference_s);
      }
    }
  }
  fmt::print("{}\n",
             json_text(json{
                 {"bench", "gates"}, {"device", bench.device().name}, {"evaluations_each", count}, {"rows", rows}}));
  return 0;
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

std::string smallest_workload(Bench& bench, const KernelInfo& kernel) {
  const auto work = [&](const Workload& w) {
    return amount_of(bench.catalog().plugin(kernel.name).problem(w.name).work);
  };
  const Workload* smallest = nullptr;
  for (const Workload& workload : kernel.workloads)
    if (is_sensible_on(workload, bench.device()) && (smallest == nullptr || work(workload) < work(*smallest)))
      smallest = &workload;
  return smallest->name;
}

/// What may take part: every shipped variant on a small workload, and every attack and fault that this device can run.
std::vector<Trial> trials(Bench& bench, bool honest) {
  std::vector<Trial> all;
  if (honest) {
    for (const char* name : kKernels) {
      const KernelInfo& kernel = bench.catalog().kernel(name);
      const std::string workload = smallest_workload(bench, kernel);
      for (const VariantInfo& variant : kernel.variants) all.push_back({name, variant.name, workload, true});
    }
    return all;
  }
  const json expectations = parse_json(read_file("tests/hostile/expectations.json"));
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

int soak(Bench& bench, int count, const std::string& path, double seconds) {
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
  const double begin = awake_seconds();
  for (int i = 0; i < count && awake_seconds() < begin + seconds; ++i) {
    const bool attack = i % 5 == 4;
    const Trial& trial = attack ? hostile[static_cast<std::size_t>(i / 5) % hostile.size()]
                                : honest[static_cast<std::size_t>(i) % honest.size()];
    EvaluationRequest request = bench.request(
        trial.kernel, bench::find_variant(bench.catalog().kernel(trial.kernel), trial.variant), trial.workload, false);
    request.confirm = attack;  // an attack that only finalists' gates find is found when it would win
    const Realized& realized = request.realized;
    const std::int64_t attempt =
        ledger->begin_attempt({campaign, 0, realized.candidate, trial.workload, realized.problem.contract_hash,
                               realized.source_hash, 0, Purpose::eval});
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
                 awake_seconds() - begin);
  }
  ledger->end_campaign(campaign, EndReason::exhausted, awake_seconds() - begin, std::nullopt);
  const auto rows = ledger->iterations(campaign).size();
  fmt::print("{}\n", json_text(json{{"bench", "soak"},
                                    {"device", bench.device().name},
                                    {"evaluations", recorded},
                                    {"rows", rows},
                                    {"lost_rows", recorded - static_cast<int>(rows)},
                                    {"wrong_verdicts", wrong},
                                    {"outcomes", outcomes},
                                    {"resident_kb_at_a_tenth", early_kb},
                                    {"resident_kb", resident_kb()},
                                    {"seconds", awake_seconds() - begin}}));
  return wrong == 0 && static_cast<int>(rows) == recorded ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 3) {
    fmt::print(stderr, "usage: trust_bench HARNESS aa|draws|gates|soak DEVICE [COUNT|KERNEL] [DB] [SECONDS]\n");
    return 2;
  }
  try {
    Process::set_program(words[0]);
    Bench bench(words[2]);
    if (words[1] == "draws") return draw_everything(bench, words.size() > 3 ? words[3] : "");
    const int count = words.size() > 3 ? std::stoi(words[3]) : 1000;
    if (words[1] == "aa") return compare_with_itself(bench, count);
    if (words[1] == "gates") return cost_of_gates(bench, count);
    return soak(bench, count, words.size() > 4 ? words[4] : ":memory:", words.size() > 5 ? std::stod(words[5]) : 1e9);
  } catch (const std::exception& error) {
    fmt::print(stderr, "trust_bench: {}\n", error.what());
    return 3;
  }
}
