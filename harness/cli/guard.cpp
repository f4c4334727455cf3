#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "harness/cli/command.h"
#include "harness/cli/guard_file.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/judged_package.h"
#include "harness/cli/package_rebuild.h"
#include "harness/core/error.h"
#include "harness/package/folder/ci_report.h"
#include "harness/package/resolved.h"
#include "harness/report/format.h"
#include "harness/report/out.h"
#include "harness/report/table.h"
#include "harness/system/files.h"
#include "harness/system/resource_limits.h"

// guard: whether what is here now is right and no slower than what was packaged.
namespace harness {
namespace {

struct GuardArguments {
  std::string folder, against, device = "auto", junit, markdown;
  std::string file, base, architecture = "sm_90a";
  bool code_only = false, json = false;
};

/// What is compared with the package: the kernel as it is here now, or another package.
struct Newer {
  std::unique_ptr<FormulaCatalog> catalog;
  std::optional<package::PackageFolder> package;
};

Newer newer_side(const GuardArguments& arguments, const package::PackageFolder& old, Shell& shell) {
  Newer newer;
  if (arguments.against.empty()) {
    newer.catalog = shell.rooms.formula_catalog(shell.places());
    newer.catalog->kernel(old.kernel);
    return newer;
  }
  newer.package = package::read_package(arguments.against);
  if (newer.package->kernel != old.kernel)
    throw bad_input(fmt::format("{} is a package of '{}', and {} one of '{}'", arguments.folder, old.kernel,
                                arguments.against, newer.package->kernel));
  newer.catalog = packaged_catalog(shell, *newer.package);
  return newer;
}

/// What stands for the packaged winner of a workload: the same configuration, or the other package's choice.
Candidate candidate_of(const Newer& newer, const package::PackagedWorkload& packaged) {
  if (!newer.package) return *packaged.winner;
  for (const package::PackagedWorkload& each : newer.package->workloads)
    if (each.workload.name == packaged.workload.name) return each.winner.value_or(newer.package->original);
  throw bad_input(fmt::format("{} has no workload '{}'", newer.package->folder, packaged.workload.name));
}

void require_contract(FormulaCatalog& catalog, const package::PackageFolder& old, const std::string& workload) {
  if (catalog.problem(old.kernel, workload).contract_hash != old.contract_hash(workload))
    throw ContractChanged(
        fmt::format("the contract of '{}' on {} is another than when it was packaged, so the two cannot be "
                    "compared; make the package anew",
                    old.kernel, workload));
}

class Guard {
 public:
  Guard(const GuardArguments& arguments, Shell& shell)
      : arguments_(arguments),
        shell_(shell),
        old_(package::read_package(arguments.folder)),
        newer_(newer_side(arguments, old_, shell)) {}

  int run() {
    if (arguments_.code_only) {
      compare_code();
    } else {
      device_ = device_for(shell_, old_, arguments_.device);
      catch_interrupts();
      if (!compare_times()) return 130;
    }
    if (!arguments_.junit.empty()) replace_file(arguments_.junit, package::junit_text(old_.kernel, lines_));
    if (!arguments_.markdown.empty())
      replace_file(arguments_.markdown, package::markdown_text(old_.kernel, device_.name, lines_));
    const bool passed = std::ranges::none_of(lines_, &package::GuardLine::failed);
    if (arguments_.json) {
      report::out_json({{"package", arguments_.folder},
                        {"kernel", old_.kernel},
                        {"device", arguments_.code_only ? json() : json(device_.name)},
                        {"digests", {{"files", old_.files}, {"package", old_.digest}}},
                        {"gates", {{"checked", gates_}, {"failed", failed_gates_}}},
                        {"workloads", workloads_},
                        {"passed", passed}});
    } else {
      for (const package::GuardLine& line : lines_)
        report::out("%s: %s: %s: %s\n", line.workload.c_str(), report::clean(line.candidate).c_str(),
                    line.verdict.c_str(), report::clean(line.text).c_str());
      report::out(passed ? "as good as what was packaged\n" : "not as good as what was packaged\n");
    }
    return passed ? 0 : 1;
  }

 private:
  struct Pair {
    Realized now, before;
  };

  Pair pair_of(PackageJudge& judge, const package::PackagedWorkload& each) {
    Realized before = judge.realize(judge.catalog(), *each.winner, each);
    Realized now = judge.realize(*newer_.catalog, candidate_of(newer_, each), each);
    require_contract(*newer_.catalog, old_, each.workload.name);
    return {std::move(now), std::move(before)};
  }

  static bool same_code(const Pair& pair) {
    return pair.now.source_hash == pair.before.source_hash && json(pair.now.plan) == json(pair.before.plan) &&
           pair.now.build.defines == pair.before.build.defines && pair.now.build.options == pair.before.build.options &&
           pair.now.build.entries == pair.before.build.entries;
  }

  void add(const PairResult& result, const std::string& verdict, const std::string& text, bool failed) {
    gates_ += result.gates;
    failed_gates_ += result.failed_gates;
    lines_.push_back({result.workload, result.candidate, verdict, text, failed});
    json row = pair_json(result);
    row["verdict"] = verdict;
    row["text"] = text;
    row["failed"] = failed;
    workloads_.push_back(std::move(row));
  }

  static std::string times(const PairResult& result) {
    return fmt::format("{:.3f}x [{:.3f}, {:.3f}] of the packaged one's speed", result.ratio.value_or(0),
                       result.ratio_lo.value_or(0), result.ratio_hi.value_or(0));
  }

  /// False: interrupted.
  bool compare_times() {
    PackageJudge judge(shell_, old_, device_);
    for (const package::PackagedWorkload& each : old_.workloads) {
      if (interrupted()) return false;
      if (!each.winner || (!old_.emulated() && each.device != device_.name)) continue;
      std::optional<Pair> pair;
      PairResult result;
      result.workload = each.workload.name;
      result.candidate = package::candidate_text(*each.winner);
      try {
        pair = pair_of(judge, each);
      } catch (const ContractChanged&) {
        throw;
      } catch (const Error& why) {
        result.outcome = "refused";
        result.detail = why.what();
        add(result, "wrong", why.what(), true);
        continue;
      }
      if (same_code(*pair)) {
        result.outcome = "same code";
        add(result, "same code", "the source and its launches are those that were packaged", false);
        continue;
      }
      result = judge.judge(*newer_.catalog, pair->now, pair->before);
      if (interrupted()) return false;
      if (!result.right()) {
        add(result, "wrong", fmt::format("{}: {}", result.outcome, result.detail), true);
      } else if (!result.slower()) {
        add(result, result.verdict ? std::string(name(*result.verdict)) : "not compared", times(result), false);
      } else {
        confirm(result, *pair);
        if (interrupted()) return false;
      }
    }
    return true;
  }

  /// Slower counts when fresh processes say so again.
  void confirm(const PairResult& first, const Pair& pair) {
    PackageJudge fresh(shell_, old_, device_);
    const PairResult second = fresh.judge(*newer_.catalog, pair.now, pair.before);
    if (!second.right()) {
      add(second, "wrong", fmt::format("{}: {}", second.outcome, second.detail), true);
    } else if (second.slower()) {
      add(second, "slower", fmt::format("{}; again in fresh processes: {}", times(first), times(second)), true);
    } else {
      add(second, "same", fmt::format("{}; not confirmed in fresh processes: {}", times(first), times(second)), false);
    }
  }

  void compare_code() {
    bool compiled = false;
    for (const json& named : old_.description.at("architectures")) {
      auto offline = shell_.rooms.offline_device(shell_.places(), named.get<std::string>());
      if (!offline || !offline->compiler) continue;
      compiled = true;
      device_.name = "code for " + named.get<std::string>();
      const auto packaged = packaged_catalog(shell_, old_);
      for (const package::PackagedWorkload& each : old_.workloads)
        if (each.winner) compare_code_of(*offline, *packaged, each);
    }
    if (!compiled)
      throw environment_error("nothing here compiles for the architectures of the package: NVRTC is needed");
  }

  void compare_code_of(const OfflineDevice& offline, FormulaCatalog& packaged, const package::PackagedWorkload& each) {
    PairResult result;
    result.workload = each.workload.name;
    const Candidate candidate = candidate_of(newer_, each);
    result.candidate = package::candidate_text(candidate);
    const auto build_of = [&](FormulaCatalog& catalog, const Candidate& which) {
      if (!each.workload.declared) catalog.add_shape(old_.kernel, each.workload.name, offline.info);
      const auto& known = catalog.kernel(old_.kernel).workloads;
      const auto found = std::ranges::find(known, each.workload.name, &Workload::name);
      if (found == known.end()) throw bad_input(fmt::format("there is no workload '{}' any more", each.workload.name));
      return catalog.formulas(which, *found, offline.info).build;
    };
    try {
      const CodeNumbers before = code_numbers(offline, build_of(packaged, *each.winner));
      const CodeNumbers now = code_numbers(offline, build_of(*newer_.catalog, candidate));
      const bool worse = now.registers > before.registers || now.spill_bytes > before.spill_bytes;
      result.outcome = now.code_hash == before.code_hash ? "same code" : "passed";
      add(result,
          result.outcome == "same code" ? "same code"
          : worse                       ? "more registers or spills"
                                        : "other code",
          fmt::format("{} registers (packaged {}), {} bytes spilled (packaged {})", now.registers, before.registers,
                      now.spill_bytes, before.spill_bytes),
          worse);
    } catch (const Error& why) {
      result.outcome = "refused";
      result.detail = why.what();
      add(result, "wrong", why.what(), true);
    }
  }

  const GuardArguments& arguments_;
  Shell& shell_;
  package::PackageFolder old_;
  Newer newer_;
  DeviceInfo device_;
  std::vector<package::GuardLine> lines_;
  json workloads_ = json::array();
  std::size_t gates_ = 0, failed_gates_ = 0;
};

/// --file: what a pull request does to an adopted file.
int guard_change(const GuardArguments& arguments, Shell& shell) {
  catch_interrupts();
  const FileVerdict verdict = guard_file(
      shell, {arguments.file, arguments.base, arguments.device, arguments.architecture, arguments.code_only});
  if (verdict.interrupted) return 130;
  if (!arguments.junit.empty()) replace_file(arguments.junit, package::junit_text(verdict.kernels, verdict.lines));
  if (!arguments.markdown.empty())
    replace_file(arguments.markdown, package::markdown_text(verdict.kernels, verdict.device, verdict.lines));
  const bool passed = std::ranges::none_of(verdict.lines, &package::GuardLine::failed);
  if (arguments.json) {
    report::out_json({{"file", arguments.file},
                      {"base", arguments.base},
                      {"kernel", verdict.kernels},
                      {"device", verdict.device},
                      {"gates", {{"checked", verdict.gates}, {"failed", verdict.failed_gates}}},
                      {"workloads", verdict.workloads},
                      {"passed", passed}});
  } else {
    for (const package::GuardLine& line : verdict.lines)
      report::out("%s: %s: %s: %s\n", line.workload.c_str(), report::clean(line.candidate).c_str(),
                  line.verdict.c_str(), report::clean(line.text).c_str());
    report::out(passed ? "as good as at %s\n" : "not as good as at %s\n", report::clean(arguments.base).c_str());
  }
  return passed ? 0 : 1;
}

}  // namespace

void define_guard(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<GuardArguments>();
  auto* folder =
      app.add_option("folder", arguments->folder, "The package that must not be fallen behind")->type_name("DIR");
  app.add_option("--against", arguments->against, "Another package in the place of the kernels that are here now")
      ->type_name("DIR");
  auto* file = app.add_option("--file", arguments->file,
                              "An adopted file instead of a package: is its change as good as its base?")
                   ->type_name("FILE.cu")
                   ->excludes(folder);
  auto* base = app.add_option("--base", arguments->base, "The revision of git that --file is compared with")
                   ->type_name("REV")
                   ->needs(file);
  file->needs(base);
  app.add_option("--arch", arguments->architecture, "With --file and --code-only: what to compile for")
      ->capture_default_str()
      ->needs(file);
  app.add_option("--device", arguments->device, shell.rooms.device_words)->capture_default_str();
  app.add_flag("--code-only", arguments->code_only,
               "Without a GPU: compile both and compare registers, spills and machine code");
  app.add_option("--junit", arguments->junit, "Also write JUnit XML, for CI servers")->type_name("FILE");
  app.add_option("--markdown", arguments->markdown, "Also write a table, for a summary")->type_name("FILE");
  app.add_flag("--json", arguments->json, "One JSON object");
  add_gate_options(app, shell);
  add_plugin_options(app, shell);
  action = [arguments, &shell] {
    require_descriptors();
    if (!arguments->file.empty()) return guard_change(*arguments, shell);
    if (arguments->folder.empty()) throw bad_input("name a package, or --file FILE.cu --base REV");
    return Guard(*arguments, shell).run();
  };
}

}  // namespace harness
