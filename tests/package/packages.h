#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/package/folder/files.h"
#include "harness/script/catalog/catalog.h"
#include "tests/package/fake_cuda.h"

// Packages without a store and without a compiler of CUDA: hand-made measurements, images of a few bytes.
namespace harness::package::test {

class OneIteration : public History {
 public:
  json iterations(const HistoryFilter&) override { return json::array(); }
  json best(const HistoryFilter&) override { return json::array(); }
  json cost(CostBy, const HistoryFilter&) override { return json::array(); }
  json campaigns(const HistoryFilter&) override { return json::array(); }
  std::int64_t campaign_called(const std::string&) override { return 1; }
  std::optional<std::int64_t> campaign_before(std::int64_t) override { return std::nullopt; }
  std::pair<ComparedSide, ComparedSide> compared_sides(const std::string&, const std::string&) override { return {}; }
  json compare(const ComparedSide&, const ComparedSide&) override { return {}; }
  json recommend(const HistoryFilter&) override { return {}; }
  CampaignFigures figures(std::int64_t) override { return {}; }
  json iteration(std::int64_t id, bool) override { return {{"iteration", id}, {"gates", json::array()}}; }
  json decision(std::int64_t) override { return {}; }
  json decision_of(std::int64_t) override { return {}; }
  json diff(std::int64_t, std::int64_t) override { return {}; }
  SqlAnswer query(const std::string&) override { return {}; }
  std::vector<ViewDescription> views() override { return {}; }
  std::vector<PatternApplication> pattern_applications(const RulePatterns&) override { return {}; }
  std::vector<std::string> integrity() override { return {}; }
  CampaignLesson lesson(std::int64_t) override { return {}; }
  RecordSize size() override { return {}; }
  SqlAnswer proposal_table(const std::optional<std::int64_t>&, std::int64_t) override { return {}; }
  json proposer_table(const std::optional<std::int64_t>&) override { return json::array(); }
  std::optional<std::int64_t> campaign_of_proposal(std::int64_t) override { return std::nullopt; }
  json timed_iterations(const std::string&) override { return json::array(); }
};

class OneIterationArchive : public Archive {
 public:
  void copy_to(const std::string&) override {}
  AgentSessions& sessions() override { throw bad_input("this archive has no sessions"); }
  LiveCampaigns& live() override { throw bad_input("this archive has no campaign under way"); }
  Ledger& ledger() override { throw bad_input("this archive has no ledger"); }
  History& history() override { return history_; }
  Transfer& transfer() override { throw bad_input("this archive has no transfer"); }

 private:
  OneIteration history_;
};

inline MeasuredPoint point(FormulaCatalog& catalog, const std::string& kernel, const std::string& workload,
                           const std::string& variant, const Config& config, double time_ns, double original_ns) {
  const auto& known = catalog.kernel(kernel).workloads;
  MeasuredPoint made{"NVIDIA H200", *std::ranges::find(known, workload, &Workload::name), {}, original_ns};
  if (!variant.empty())
    made.runs.push_back(
        {7, 1, {kernel, variant, "", config}, time_ns, original_ns, original_ns / time_ns * 0.99, true});
  return made;
}

/// Images are "image"; an entry's symbol says the bytes of its parameters, for the fake driver.
inline CodeMaker no_compiler(const std::function<std::string(const std::string& entry)>& parameters) {
  CodeMaker maker;
  maker.devices = {fake_h200()};
  maker.compile = [parameters](const DeviceInfo& device, const BuildSpec& build) {
    CompiledCode code;
    code.bytes = "image of " + build.entries.front();
    code.artifact.architecture = device.architecture;
    code.artifact.code_hash = "0123";
    for (const std::string& entry : build.entries) code.symbols[entry] = entry + ":" + parameters(entry);
    return code;
  };
  return maker;
}

/// The same with PTX, "PTX of ...", for compute_90 on.
inline CodeMaker with_ptx(CodeMaker maker) {
  maker.ptx_devices = {fake_h200()};
  maker.ptx_devices.front().architecture = "sm_90";
  maker.ptx = [compile = maker.compile](const DeviceInfo& device,
                                        const BuildSpec& build) -> std::variant<CompiledCode, std::string> {
    CompiledCode code = compile(device, build);
    code.bytes = "PTX of " + build.entries.front();
    return code;
  };
  return maker;
}

inline std::string kernels_folder() {
  return std::string(HARNESS_SOURCE_DIR) + "/kernels";
}

/// 20_online, which has two more template arguments than the original, is told no number of rows.
inline std::string softmax_parameters(const std::string& entry) {
  return std::ranges::count(entry, ',') == 2 ? "8,8,4" : "8,8,4,4";
}

/// softmax: 20_online on one workload, 30_registers on another; elsewhere the original.
struct SoftmaxPackage {
  script::LuaCatalog catalog{{kernels_folder()}, {kernels_folder() + "/include"}, {"cpu", "cuda"}};
  OneIterationArchive archive;
  PackageModel model;
  PackageFiles files;
  std::string digest;

  explicit SoftmaxPackage(std::size_t most = 0) : SoftmaxPackage(most, no_compiler(softmax_parameters)) {}
  SoftmaxPackage(std::size_t most, const CodeMaker& maker) {
    PackageRecord record;
    record.devices = {fake_h200()};
    const Config online{{"THREADS", std::int64_t{128}}, {"VEC", std::int64_t{4}}};
    const Config registers{{"THREADS", std::int64_t{128}},
                           {"ROWS", std::int64_t{1}},
                           {"VEC", std::int64_t{4}},
                           {"ITEMS", std::int64_t{2}}};
    record.points = {point(catalog, "softmax", "m4096n1024_f32", "30_registers", registers, 10e3, 300e3),
                     point(catalog, "softmax", "m4096n1024_f16", "20_online", online, 8e3, 290e3),
                     point(catalog, "softmax", "m33n257_f32", "", {}, 0, 5e3)};
    model = make_package(catalog, maker, "softmax", std::move(record), most, "a test");
    files = package_files(model, catalog, archive, {"a test", "0", "a licence"}, catalog.plugin("softmax").folder(),
                          kernels_folder() + "/include");
    digest = seal(files);
  }
};

}  // namespace harness::package::test
