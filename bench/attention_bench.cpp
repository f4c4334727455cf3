// Variants, attention's first of all, beside the libraries. Run from the top folder; HARNESS is the program whose
// workers are used.
//   attention_bench HARNESS DEVICE STORE [variants=NAME,...] WORKLOADS...: for each workload (names or sets) the
//   rivals, every configuration of each, then every variant (or those named) in the best configuration that STORE knows
//   there on this device name; with "-" for STORE in every one that its author would try first. Each has passed a
//   finalist's gates, and is timed in turns with the fastest rival in one run, in short bursts with pauses, as a
//   finalist is.
//   attention_bench HARNESS DEVICE @FILE [WORKLOADS...]: the same for the rows of FILE, each "KERNEL WORKLOAD
//   VARIANT,NAME=VALUE,..." with as many configurations as are to be measured; with WORKLOADS only the rows of those.
// Prints one JSON object for each workload and variant.
#include <algorithm>
#include <climits>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>

#include "bench/device_bench.h"

using namespace harness;
using bench::Bench;

namespace {

constexpr const char* kKernel = "attention";

/// The fastest configuration that passed, by workload and variant.
using Known = std::map<std::pair<std::string, std::string>, EarlierResult>;

Known best_known(const std::string& path, const DeviceInfo& device) {
  Known known;
  const auto store = store::Store::open(path, store::Mode::read_only);
  for (EarlierResult& result : store->earlier_results(INT64_MAX, kKernel, device.device)) {
    if (result.outcome != OutcomeKind::passed || !result.time_ns || result.device_name != device.name) continue;
    const auto [place, first] = known.try_emplace({result.workload, result.variant}, result);
    if (!first && *result.time_ns < *place->second.time_ns) place->second = std::move(result);
  }
  return known;
}

json as_line(const EvaluationRequest& request, const Evaluation& evaluation, bool rival) {
  const Candidate& candidate = request.realized.candidate;
  json line = {{"workload", request.realized.problem.workload.name},
               {"variant", candidate.variant},
               {"config", config_to_json(candidate.config)},
               {"rival", rival},
               {"outcome", outcome_name(evaluation.outcome)}};
  for (const GateResult& gate : evaluation.gates)
    if (!gate.checked) line["not_checked"].push_back(gate.name);
  const auto* passed = std::get_if<Passed>(&evaluation.outcome);
  if (passed == nullptr) {
    const json error = error_json(evaluation.outcome);
    line["message"] = error.is_null() ? "" : error.value("message", "");
    return line;
  }
  const Timing& timing = passed->timing;
  bench::add_rates(line, request.realized.problem.work, timing.time_ns);
  line["time_lo_us"] = timing.time_lo_ns / 1e3;
  line["time_hi_us"] = timing.time_hi_ns / 1e3;
  if (timing.warm_ns) line["warm_us"] = *timing.warm_ns / 1e3;
  line["method"] = timing.samples.method;
  if (timing.incumbent_ns) {
    line["rival_us"] = *timing.incumbent_ns / 1e3;
    line["of_rival_speed"] = *timing.incumbent_ns / timing.time_ns;
  }
  return line;
}

class Table {
 public:
  /// Without `known` the configurations that authors would try first are measured. `wanted` empty: all variants.
  Table(Bench& bench, std::optional<Known> known, std::set<std::string> wanted)
      : bench_(bench), known_(std::move(known)), wanted_(std::move(wanted)) {}

  /// A line of a file of rows.
  void row(const std::string& kernel, const std::string& workload, const std::vector<bench::Chosen>& all) {
    kernel_ = kernel;
    measure_rivals(workload);
    for (const bench::Chosen& chosen : all)
      measure(bench::find_variant(bench_.catalog().kernel(kernel), chosen.variant), workload, {chosen.given});
  }

  void workload(const std::string& name) {
    measure_rivals(name);
    for (const VariantInfo& variant : bench_.catalog().kernel(kernel_).variants)
      if (!variant.rival && (wanted_.empty() || wanted_.contains(variant.name)) && supported(variant))
        measure(variant, name, chosen(variant, name));
  }

 private:
  Evaluation evaluate(EvaluationRequest& request, bool rival) {
    request.incumbent = rival_;
    request.confirm = true;
    Evaluation evaluation = bench_.evaluator().evaluate(request);
    std::puts(json_text(as_line(request, evaluation, rival)).c_str());
    std::fflush(stdout);
    return evaluation;
  }

  bool supported(const VariantInfo& variant) {
    return bench_.catalog().plugin(kernel_).unsupported_reason(variant.name, bench_.device()).empty();
  }

  void measure_rivals(const std::string& workload) {
    rival_.reset();
    for (const VariantInfo& variant : bench_.catalog().kernel(kernel_).variants)
      if (variant.rival && supported(variant)) measure_rival(variant, workload);
  }

  void measure_rival(const VariantInfo& variant, const std::string& workload) {
    const Space space = bench_.catalog().plugin(kernel_).space(variant.name, workload, bench_.device());
    for (std::size_t point = 0; point < space.points.size(); ++point) {
      EvaluationRequest request =
          bench_.request({kernel_, variant.name, variant.technique, configuration(space, point)}, workload, true);
      const Evaluation evaluation = evaluate(request, true);
      if (std::holds_alternative<Unsupported>(evaluation.outcome)) return;
      const auto* passed = std::get_if<Passed>(&evaluation.outcome);
      if (passed != nullptr && (!rival_ || passed->timing.time_ns < rival_->time_ns))
        rival_ = Incumbent{request.realized, passed->timing.time_ns, std::nullopt};
    }
  }

  void measure(const VariantInfo& variant, const std::string& workload, const std::vector<Config>& all) {
    std::set<std::string> seen;
    std::string reason;
    for (const Config& given : all) {
      try {
        const Config config =
            bench_.catalog().plugin(kernel_).default_config(variant.name, workload, bench_.device(), given);
        if (!seen.insert(to_text(config)).second) continue;
        EvaluationRequest request = bench_.request({kernel_, variant.name, variant.technique, config}, workload, true);
        evaluate(request, false);
      } catch (const Error& error) {  // no valid configuration there
        reason = error.what();
      }
    }
    if (seen.empty() && !reason.empty()) fmt::print(stderr, "{} {}: {}\n", workload, variant.name, reason);
  }

  std::vector<Config> chosen(const VariantInfo& variant, const std::string& workload) const {
    if (known_) {
      const auto found = known_->find({workload, variant.name});
      return found == known_->end() ? std::vector<Config>{} : std::vector{found->second.config};
    }
    return variant.starts.empty() ? std::vector{Config{}} : variant.starts;
  }

  Bench& bench_;
  std::string kernel_ = kKernel;
  std::optional<Known> known_;
  std::set<std::string> wanted_;
  std::optional<Incumbent> rival_;  // the fastest so far
};

/// Every row of the file whose workload is among `wanted`; all if that is empty. "#" begins a comment.
void measure_rows(Bench& bench, const std::string& path, const std::set<std::string>& wanted) {
  std::set<std::string> missing = wanted;
  std::ifstream file(path);
  if (!file) throw bad_input("no file " + path);
  Table table(bench, std::nullopt, {});
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string kernel, workload;
    if (!(words >> kernel >> workload) || (!wanted.empty() && !wanted.contains(workload))) continue;
    missing.erase(workload);
    std::vector<bench::Chosen> all;
    for (std::string word; words >> word;) all.push_back(bench::parse_chosen(word));
    table.row(kernel, workload, all);
  }
  if (!missing.empty()) throw bad_input("no row for workload '" + *missing.begin() + "' in " + path);
}

/// Takes the word variants=NAME,... away.
std::set<std::string> take_variants(std::vector<std::string>& words) {
  constexpr std::string_view kKey = "variants=";
  std::set<std::string> wanted;
  const auto word = std::ranges::find_if(words, [&](const std::string& each) { return each.starts_with(kKey); });
  if (word == words.end()) return wanted;
  std::istringstream names(word->substr(kKey.size()));
  for (std::string name; std::getline(names, name, ',');) wanted.insert(name);
  words.erase(word);
  return wanted;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: {} HARNESS DEVICE STORE|-|@FILE [variants=NAME,...] WORKLOADS...\n", argv[0]);
    return 2;
  }
  try {
    Process::set_program(argv[1]);
    Bench bench(argv[2]);
    std::vector<std::string> words(argv + 4, argv + argc);
    const std::set<std::string> wanted = take_variants(words);
    if (argv[3][0] == '@') {
      if (!wanted.empty()) throw bad_input("variants= has no meaning for rows, which name theirs");
      measure_rows(bench, argv[3] + 1, {words.begin(), words.end()});
      return 0;
    }
    const bool has_store = std::string(argv[3]) != "-";
    Table table(bench, has_store ? std::optional(best_known(argv[3], bench.device())) : std::nullopt, wanted);
    for (const std::string& workload : choose_workloads(bench.catalog().kernel(kKernel), words, bench.device()))
      table.workload(workload);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "attention_bench: {}\n", error.what());
    return 3;
  }
}
