#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <set>

#include "harness/device/cpu/check/source_lines.h"
#include "harness/device/cpu/compile/compiler.h"
#include "harness/device/cpu/cpu_kind.h"
#include "harness/device/cpu/probe.h"
#include "harness/device/cpu/session.h"
#include "harness/judge/layout.h"
#include "harness/judge/paint.h"
#include "harness/script/catalog/catalog.h"
#include "harness/worker/memory/instrumented_check.h"
#include "harness/worker/memory/memory_check.h"
#include "tests/support/program.h"
#include "tests/support/turns.h"

// Every variant of every shipped kernel under the memory checker of the cpu device, on its smallest workload.
using namespace harness;

namespace {

struct Checked {
  std::vector<Finding> findings;
  std::string workload;
  double plain_s = 0, checked_s = 0;
};

class CheckedBench {
 public:
  CheckedBench()
      : catalog_({std::filesystem::path(HARNESS_SOURCE_DIR) / "kernels"},
                 {std::filesystem::path(HARNESS_SOURCE_DIR) / "kernels/include"}),
        headers_(std::string(HARNESS_SOURCE_DIR) + "/harness/device/cpu/guest"),
        compiler_(tests::build_cache(), headers_),
        device_(probe_cpu()) {}

  script::LuaCatalog& catalog() { return catalog_; }
  const DeviceInfo& device() const { return device_; }

  Checked check(const Realized& realized) {
    Checked result{.workload = realized.problem.workload.name};
    result.plain_s = run(realized, realized.build);
    result.checked_s = run(realized, cpu::CpuKind().checked_build(realized.build));
    const auto raw = session_.take_findings();
    REQUIRE(raw);
    std::vector<std::uint64_t> sites;
    for (const RawFinding& finding : *raw) sites.insert(sites.end(), finding.sites.begin(), finding.sites.end());
    result.findings = describe_findings(*raw, cpu::source_lines(artifact_.path, sites));
    return result;
  }

  /// The variant's first configuration on each workload that the cpu device can run, and one from the middle.
  std::vector<Realized> realizations(const std::string& kernel, const std::string& variant) {
    std::vector<Realized> all;
    for (const Workload& workload : catalog_.kernel(kernel).workloads)
      for (Realized& realized : first_and_middle(kernel, variant, workload.name)) all.push_back(std::move(realized));
    return all;
  }

  std::vector<Realized> first_and_middle(const std::string& kernel, const std::string& variant,
                                         const std::string& workload) {
    std::vector<Realized> all;
    const Space space = catalog_.plugin(kernel).space(variant, workload, device_);
    for (const std::size_t point : std::set<std::size_t>{0, space.points.size() / 2})
      if (point < space.points.size())
        all.push_back(
            catalog_.plugin(kernel).realize({kernel, variant, "", configuration(space, point)}, workload, device_));
    return all;
  }

  static std::int64_t image_bytes(const Realized& realized) {
    return judge::make_layout(realized.problem, realized.plan).bytes;
  }
  Realized smallest(const std::string& kernel, const std::string& variant) {
    const std::vector<Realized> all = realizations(kernel, variant);
    REQUIRE(!all.empty());
    return *std::min_element(all.begin(), all.end(),
                             [](const Realized& a, const Realized& b) { return image_bytes(a) < image_bytes(b); });
  }

 private:
  double run(const Realized& realized, const BuildSpec& spec) {
    const BuildResult built = compiler_.build(spec);
    if (const auto* failure = std::get_if<CompileFailure>(&built)) FAIL(failure->log);
    artifact_ = std::get<Artifact>(built);
    const Executable executable{artifact_, realized.plan, realized.problem,
                                judge::make_layout(realized.problem, realized.plan)};
    std::vector<std::byte> image(static_cast<std::size_t>(executable.layout.bytes));
    judge::paint(realized.problem, realized.plan, executable.layout, 7, image);
    session_.preload(artifact_);
    const auto start = std::chrono::steady_clock::now();
    session_.run(executable, image);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  script::LuaCatalog catalog_;
  std::string headers_;
  CpuCompiler compiler_;
  CpuSession session_;
  DeviceInfo device_;
  Artifact artifact_;
};

constexpr const char* kShipped[] = {"vector_scale", "softmax", "rmsnorm_int8", "paged_gather", "attention"};

}  // namespace

TEST_CASE("the memory checker finds nothing in the shipped kernels") {
  CheckedBench bench;
  std::size_t turn = 0;
  for (const char* kernel : kShipped) {
    for (const VariantInfo& variant : bench.catalog().kernel(kernel).variants) {
      if (!tests::in_slice(turn++, 4)) continue;
      if (!bench.catalog().plugin(kernel).unsupported_reason(variant.name, bench.device()).empty()) continue;
      const Realized realized = bench.smallest(kernel, variant.name);
      const auto is_call = [](const Step& step) { return std::holds_alternative<LibraryCall>(step); };
      if (std::any_of(realized.plan.steps.begin(), realized.plan.steps.end(), is_call)) continue;  // CUDA's libraries
      const Checked checked = bench.check(realized);
      INFO(kernel << " " << variant.name << " on " << checked.workload);
      for (const Finding& finding : checked.findings) FAIL_CHECK(finding.kind << ": " << finding.message);
    }
  }
}

// At night: those whose variants share work between blocks, or leave it to copies. Tiles at edges, several slices.
TEST_CASE("the memory checker finds nothing in products and gradients") {
  if (tests::is_nightly()) return;
  const std::pair<const char*, const char*> shapes[] = {
      {"gemm", "M=13 N=136 K=264 lda=264 ldb=264 ldd=136 residual=true"},
      {"gemm", "M=140 N=264 K=264 lda=264 ldb=264 ldd=264 bias=true"},
      {"gemm_fp8", "M=68 N=264 K=384"},
      {"attention_backward", "B=1 Hq=2 Hkv=1 Sq=150 Sk=140 D=128 causal=true dtype=bf16 deterministic=false"}};
  CheckedBench bench;
  for (const auto& [kernel, shape] : shapes) {
    const std::string workload = bench.catalog().plugin(kernel).add_shape(shape, bench.device());
    for (const VariantInfo& variant : bench.catalog().kernel(kernel).variants) {
      if (!bench.catalog().plugin(kernel).unsupported_reason(variant.name, bench.device()).empty()) continue;
      for (const Realized& realized : bench.first_and_middle(kernel, variant.name, workload)) {
        const Checked checked = bench.check(realized);
        INFO(kernel << " " << variant.name << " on " << shape);
        for (const Finding& finding : checked.findings) FAIL_CHECK(finding.kind << ": " << finding.message);
      }
    }
  }
}

// Hidden: minutes. Prints what checking costs.
TEST_CASE("the memory checker finds nothing in the shipped kernels on larger workloads", "[.][cost]") {
  constexpr std::int64_t kMostBytes = 4 << 20;
  CheckedBench bench;
  std::cout << "kernel, variant, workload, plain ms, checked ms, findings\n";
  for (const char* kernel : kShipped) {
    for (const VariantInfo& variant : bench.catalog().kernel(kernel).variants) {
      if (!bench.catalog().plugin(kernel).unsupported_reason(variant.name, bench.device()).empty()) continue;
      for (const Realized& realized : bench.realizations(kernel, variant.name)) {
        if (CheckedBench::image_bytes(realized) > kMostBytes) continue;
        const Checked checked = bench.check(realized);
        std::cout << kernel << ", " << variant.name << ", " << checked.workload << ", " << checked.plain_s * 1e3 << ", "
                  << checked.checked_s * 1e3 << ", " << checked.findings.size() << std::endl;
        INFO(kernel << " " << variant.name << " on " << checked.workload);
        for (const Finding& finding : checked.findings) FAIL_CHECK(finding.kind << ": " << finding.message);
      }
    }
  }
}
