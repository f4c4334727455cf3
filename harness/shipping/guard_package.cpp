#include "harness/shipping/guard_package.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "harness/core/error.h"
#include "harness/package/folder/reading.h"
#include "harness/package/resolved.h"
#include "harness/shipping/judged_package.h"
#include "harness/shipping/package_rebuild.h"
#include "harness/shipping/package_signature.h"
#include "harness/system/interrupt.h"

namespace harness {
namespace {

/// What is compared with the package: the kernel as it is here now, or another package.
struct Newer {
  std::unique_ptr<FormulaCatalog> catalog;
  std::optional<package::PackageFolder> package;
};

Newer newer_side(const PackageQuestion& question, const package::PackageFolder& old, Shell& shell) {
  Newer newer;
  if (question.against.empty()) {
    newer.catalog = shell.rooms.formula_catalog(shell.places());
    newer.catalog->kernel(old.kernel);
    return newer;
  }
  newer.package = package::read_package(question.against);
  if (newer.package->kernel != old.kernel)
    throw bad_input(fmt::format("{} is a package of '{}', and {} one of '{}'", question.folder, old.kernel,
                                question.against, newer.package->kernel));
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
  if (catalog.plugin(old.kernel).problem(workload).contract_hash != old.contract_hash(workload))
    throw ContractChanged(
        fmt::format("the contract of '{}' on {} is another than when it was packaged, so the two cannot be "
                    "compared; make the package anew",
                    old.kernel, workload));
}

class PackageGuard {
 public:
  PackageGuard(const PackageQuestion& question, Shell& shell)
      : question_(question),
        shell_(shell),
        old_(package::read_package(question.folder)),
        newer_(newer_side(question, old_, shell)) {}

  PackageVerdict judge() {
    verdict_.kernels = old_.kernel;
    if (const PackageSignature signature = signature_of(old_, question_.key); !signature.holds()) {
      PairResult nothing;
      nothing.workload = "signature";
      add(nothing, "wrong", signature.text, true);
    } else if (question_.code_only) {
      compare_code();
    } else {
      device_ = device_for(shell_, old_, question_.device);
      verdict_.device = device_.name;
      verdict_.interrupted = !compare_times();
    }
    return {std::move(verdict_), old_.files, old_.digest, table_changes()};
  }

 private:
  /// A tuned table says what is fastest under the driver and the compiler that it was measured with.
  std::vector<std::string> table_changes() const {
    std::vector<std::string> changes;
    const auto table = old_.description.find("table");
    if (table == old_.description.end() || table->is_null() || device_.name.empty()) return changes;
    const auto compare = [&](const char* what, const std::string& then, const std::string& now) {
      std::string sentence =
          fmt::format("cells of its table were measured with {} {}, and {} is here", what, then, now);
      if (then != now && std::ranges::find(changes, sentence) == changes.end()) changes.push_back(std::move(sentence));
    };
    for (const json& tools : table->at("tools")) {
      compare("driver", tools.at("driver"), device_.driver);
      compare("compiler", tools.at("compiler"), device_.compiler);
    }
    return changes;
  }

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
    verdict_.add(result, {result.workload, result.candidate, verdict, text, failed});
  }

  static std::string times(const PairResult& result) {
    if (result.predicted)
      return fmt::format("not timed, predicted {:.2f}x of the packaged one's speed", result.ratio.value_or(0));
    return fmt::format("{:.3f}x [{:.3f}, {:.3f}] of the packaged one's speed", result.ratio.value_or(0),
                       result.ratio_lo.value_or(0), result.ratio_hi.value_or(0));
  }

  /// False: interrupted.
  bool compare_times() {
    PackageJudge judge(shell_, old_, device_);
    for (const package::PackagedWorkload& each : old_.workloads) {
      if (interrupted()) return false;
      if (!each.winner || ((!old_.emulated() || !device_.predicts.empty()) && each.device != device_.name)) continue;
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
      verdict_.device = "code for " + named.get<std::string>();
      const auto packaged = packaged_catalog(shell_, old_);
      for (const package::PackagedWorkload& packaged_workload : old_.workloads) {
        verdict_.interrupted = interrupted();
        if (verdict_.interrupted) return;
        if (packaged_workload.winner) compare_code_of(*offline, *packaged, packaged_workload);
      }
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
      if (!each.workload.declared) catalog.plugin(old_.kernel).add_shape(each.workload.name, offline.info);
      const auto& known = catalog.kernel(old_.kernel).workloads;
      const auto found = std::ranges::find(known, each.workload.name, &Workload::name);
      if (found == known.end()) throw bad_input(fmt::format("there is no workload '{}' any more", each.workload.name));
      return catalog.plugin(which.kernel).formulas(which, *found, offline.info).build;
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

  const PackageQuestion& question_;
  Shell& shell_;
  package::PackageFolder old_;
  Newer newer_;
  DeviceInfo device_;
  GuardVerdict verdict_;
};

}  // namespace

PackageVerdict guard_package(Shell& shell, const PackageQuestion& question) {
  return PackageGuard(question, shell).judge();
}

}  // namespace harness
