#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/device/cpu/compile/compiler.h"
#include "harness/device/cpu/probe.h"
#include "harness/device/cpu/session.h"
#include "harness/judge/custom.h"
#include "harness/judge/draw.h"
#include "harness/judge/layout.h"
#include "harness/judge/paint.h"
#include "harness/judge/reference.h"
#include "harness/judge/verdict.h"
#include "harness/script/catalog/catalog.h"
#include "harness/system/files.h"
#include "tests/support/program.h"
#include "tests/support/skip.h"
#include "tests/support/turns.h"

// Every variant of every shipped kernel, on every workload that is not only for GPUs, in every dtype, through all gates
// of correctness on the cpu device. Attention's, which take most of the time, meet each workload in one configuration:
// the first of the space and one from its middle take turns, so that every variant is seen in both.
using namespace harness;

namespace {

class Bench {
 public:
  explicit Bench(const std::filesystem::path& kernels = std::filesystem::path(HARNESS_SOURCE_DIR) / "kernels")
      : catalog_({kernels}, {std::filesystem::path(HARNESS_SOURCE_DIR) / "kernels/include"}),
        compiler_(tests::build_cache(), std::string(HARNESS_SOURCE_DIR) + "/harness/device/cpu/guest"),
        device_(probe_cpu()) {}

  script::LuaCatalog& catalog() { return catalog_; }
  const DeviceInfo& device() const { return device_; }

  Verdict evaluate(const std::string& kernel, const std::string& variant, const std::string& workload,
                   const Config& config, const std::string& form = "nominal") {
    const Realized realized = catalog_.plugin(kernel).realize({kernel, variant, "", config}, workload, device_);
    Executable executable{build(realized.build), realized.plan, realized.problem,
                          judge::make_layout(realized.problem, realized.plan)};
    std::vector<std::byte> image(static_cast<std::size_t>(executable.layout.bytes));
    judge::paint(realized.problem, realized.plan, executable.layout, ++seed_, image, {form, 0});
    draw_by_own_code(realized, executable.layout, image);
    const std::vector<std::byte> before = image;
    session_.run(executable, image);
    return judge::judge(realized.problem, realized.plan, executable.layout, before, image,
                        reference(realized, executable.layout, before), seed_);
  }

  /// On inputs that are the same for the same workload.
  judge::ReferenceValues reference(const std::string& kernel, const std::string& workload) {
    const Config config = catalog_.plugin(kernel).default_config("00_naive", workload, device_, {});
    const Realized realized = catalog_.plugin(kernel).realize({kernel, "00_naive", "", config}, workload, device_);
    const ImageLayout layout = judge::make_layout(realized.problem, realized.plan);
    std::vector<std::byte> image(static_cast<std::size_t>(layout.bytes));
    judge::paint(realized.problem, realized.plan, layout, 42, image);
    return reference(realized, layout, image);
  }

 private:
  void draw_by_own_code(const Realized& realized, const ImageLayout& layout, std::vector<std::byte>& image) {
    for (const std::string& name : judge::needs_custom_draw(realized.problem)) {
      const Argument& argument = *find_argument(realized.problem, name);
      judge::CustomJob job = judge::custom_draw_job(realized.problem, argument, seed_, layout, image);
      BuildSpec spec = judge::custom_build(realized.problem, job.source, read_file(job.source, Error::Kind::bad_input));
      spec.include_dirs = realized.build.include_dirs;
      job.executable.artifact = build(spec);
      session_.run(job.executable, job.image);
      judge::place_custom_draw(argument, job, layout, image);
    }
  }

  judge::ReferenceValues reference(const Realized& realized, const ImageLayout& layout,
                                   const std::vector<std::byte>& painted) {
    judge::ReferenceJob job = judge::make_reference_job(realized.problem, read_file(realized.problem.reference.source));
    job.spec.include_dirs = realized.build.include_dirs;
    job.executable.artifact = build(job.spec);
    judge::Bytes image = judge::reference_image(realized.problem, layout, painted, job);
    session_.run(job.executable, image);
    return judge::read_reference(realized.problem, job, image);
  }

  Artifact build(const BuildSpec& spec) {
    const BuildResult result = compiler_.build(spec);
    if (const auto* failure = std::get_if<CompileFailure>(&result)) FAIL(failure->log);
    return std::get<Artifact>(result);
  }

  script::LuaCatalog catalog_;
  CpuCompiler compiler_;
  CpuSession session_;
  DeviceInfo device_;
  std::uint64_t seed_ = 20251013;
};

bool only_for_gpus(const Workload& workload) {
  return !workload.devices.empty() &&
         std::find(workload.devices.begin(), workload.devices.end(), "cpu") == workload.devices.end() &&
         std::find(workload.sets.begin(), workload.sets.end(), "seeds") == workload.sets.end();
}

/// Shapes of which there are many alike: of four workloads every variant meets one, in one configuration.
bool is_one_of_many(const Workload& workload) {
  return std::ranges::any_of(workload.sets, [](const std::string& set) { return set == "widths" || set == "heads"; });
}

std::vector<Config> sample(const Space& space, bool one, std::size_t turn) {
  if (space.points.empty()) return {};  // the variant has no arm there
  if (one) return {configuration(space, turn % 2 == 0 ? space.points.size() / 2 : 0)};
  std::vector<Config> configs{configuration(space, 0)};
  if (space.points.size() > 2) configs.push_back(configuration(space, space.points.size() / 2));
  return configs;
}

/// Too much for an emulation in the time of a test; the smaller workloads have every shape that tiles can take.
bool too_large(Bench& bench, const std::string& kernel, const std::string& workload) {
  constexpr double kExponentials = 3e5;
  auto& catalog = bench.catalog();
  const Space space = catalog.plugin(kernel).space("00_naive", workload, bench.device());
  const Candidate baseline{kernel, "00_naive", "", configuration(space, 0)};
  return catalog.plugin(baseline.kernel).realize(baseline, workload, bench.device()).problem.work.exps > kExponentials;
}

void check_right(Bench& bench, const std::string& kernel, const std::string& variant, const std::string& workload,
                 const Config& config) {
  const Verdict verdict = bench.evaluate(kernel, variant, workload, config);
  INFO(kernel << " " << variant << " " << to_text(config) << " on " << workload);
  for (const GateResult& gate : verdict.gates)
    if (!gate.passed) FAIL_CHECK(gate.name << ": " << gate.detail);
  CHECK(verdict.passed());
}

void check_kernel(const std::string& name, const std::string& part = "") {
  static Bench bench;
  int evaluated = 0;
  std::size_t turn = 0, asked = 0;
  const bool attends = name == "attention" || name == "attention_backward";
  const std::size_t slices = attends ? 8 : name == "fused_moe" ? 4 : 2;
  const KernelInfo& kernel = bench.catalog().kernel(name);
  for (const Workload& workload : kernel.workloads) {
    if (only_for_gpus(workload) || workload.name.find(part) == std::string::npos) continue;
    if (too_large(bench, name, workload.name)) continue;
    const bool one_of_many = is_one_of_many(workload);
    const std::size_t place = turn++;
    for (const VariantInfo& variant : kernel.variants) {
      if (one_of_many && ++turn % 4 != 0) continue;
      if (!tests::in_slice(asked++, slices)) continue;
      if (!bench.catalog().plugin(name).unsupported_reason(variant.name, bench.device()).empty()) continue;
      for (const Config& config :
           sample(bench.catalog().plugin(name).space(variant.name, workload.name, bench.device()),
                  attends || name == "paged_decode", one_of_many ? 0 : place)) {
        check_right(bench, name, variant.name, workload.name, config);
        ++evaluated;
      }
    }
  }
  CHECK(evaluated > 0);
}

}  // namespace

TEST_CASE("vector_scale is right on every workload of the cpu device") {
  check_kernel("vector_scale");
}
TEST_CASE("softmax is right on every workload of the cpu device") {
  if (tests::is_nightly()) return;
  check_kernel("softmax");
}
TEST_CASE("rmsnorm_int8 is right on every workload of the cpu device") {
  check_kernel("rmsnorm_int8");
}
TEST_CASE("paged_decode is right where heads share keys and lengths end within a page") {
  check_kernel("paged_decode", "quick_b2h4kv2");
}
TEST_CASE("paged_gather is right on every workload of the cpu device") {
  check_kernel("paged_gather");
}
TEST_CASE("gemm is right on every workload of the cpu device") {
  check_kernel("gemm", tests::takes_all() ? "" : "m17n40k80");
}
TEST_CASE("gemm_fp8 is right on every workload of the cpu device") {
  check_kernel("gemm_fp8", tests::takes_all() ? "" : "m33n40k640");
}
TEST_CASE("gemm_fp8 is right in tiles of 128 x 256 whose scales come by TMA") {
  Bench bench;
  const std::string workload = bench.catalog().plugin("gemm_fp8").add_shape("M=68 N=264 K=256", bench.device());
  const Config config = bench.catalog().plugin("gemm_fp8").default_config("75_wide", workload, bench.device(), {});
  check_right(bench, "gemm_fp8", "75_wide", workload, config);
}

// Shares of K that meet in a cluster, blocks that load for each other, a last slice that is not full.
TEST_CASE("gemm is right where its first configurations do not come") {
  struct Case {
    const char *variant, *workload;
    std::vector<std::pair<const char*, std::int64_t>> values;
  };
  const std::vector<Case> cases = {
      {"50_split", "m33n72k136_f16_plain", {{"SPLITS", 2}, {"BLOCK_M", 32}}},
      {"60_narrow", "m17n40k80_f16_gate", {{"SPLITS", 2}, {"SHARE", 2}, {"TOKENS", 16}, {"WARPGROUPS", 1}}},
      {"70_specialized", "m65n129k72_f32_bias", {{"CLUSTER", 2}, {"WARPGROUPS", 1}, {"BLOCK_N", 64}, {"STAGES", 3}}},
      {"70_specialized", "m70n50k48_residual_padded", {{"CLUSTER", 1}, {"WARPGROUPS", 2}, {"BLOCK_N", 64}}},
      {"74_shared_wave", "m33n72k136_f16_plain", {{"WARPGROUPS", 1}, {"BLOCK_N", 128}, {"STAGES", 3}, {"PARTS", 2}}},
  };
  Bench bench;
  for (const Case& each : cases) {
    const Config values(each.values.begin(), each.values.end());
    const Config config =
        bench.catalog().plugin("gemm").default_config(each.variant, each.workload, bench.device(), values);
    for (int draw = 0; draw < (tests::takes_all() ? 3 : 1); ++draw)
      check_right(bench, "gemm", each.variant, each.workload, config);
  }
}
TEST_CASE("fused_moe is right on every workload of the cpu device") {
  check_kernel("fused_moe", tests::takes_all() ? "" : "t17h64i64");
}
TEST_CASE("attention_backward is right on every workload of the cpu device") {
  check_kernel("attention_backward", tests::takes_all() ? "" : "quick");
}
TEST_CASE("attention is right on its smaller workloads in f16") {
  check_kernel("attention", "_f16");
}
TEST_CASE("attention is right on its smaller workloads in bf16") {
  if (tests::is_nightly()) return;
  check_kernel("attention", "_bf16");
}
// Tiles that a warpgroup passes over, more keys than all warps hold, splits that meet; on three draws each.
TEST_CASE("attention is right where its first configurations do not come") {
  struct Case {
    const char *variant, *workload;
    std::vector<std::pair<const char*, std::int64_t>> values;
  };
  const std::vector<Case> cases = {
      // Of two tiles of keys the first warpgroup sees one, the third has no rows.
      {"75_persistent",
       "quick_b1h2s65_bf16_causal",
       {{"WARPGROUPS", 3}, {"BLOCK_N", 64}, {"QUERIES", 2}, {"SCHEDULE", 0}, {"PINGPONG", 1}}},
      {"75_persistent",
       "quick_b1h2s65_bf16_causal",
       {{"WARPGROUPS", 2}, {"BLOCK_N", 64}, {"QUERIES", 1}, {"SCHEDULE", 1}}},
      {"50_tiny",
       "chunk_b1h4s33k161_f16_causal",
       {{"WARPS", 8}, {"CLUSTER", 1}, {"KEYS", 16}, {"ASYNC", 1}, {"WALKS", 1}}},
      {"46_decode", "decode_b1h8kv2s1k200_f16_lse", {{"WARPS", 2}, {"SPLITS", 4}}},
      {"47_decode_bulk", "decode_b1h8kv2s1k200_f16_lse", {{"WARPS", 4}, {"KEYS", 16}, {"RING", 6}, {"SPLITS", 4}}},
      {"47_decode_bulk",
       "chunk_b1h4s33k161_f16_causal",
       {{"WARPS", 4}, {"KEYS", 32}, {"RING", 3}, {"SPLITS", 2}, {"ROWS", 16}}},
  };
  Bench bench;
  for (const Case& each : cases) {
    const Config values(each.values.begin(), each.values.end());
    const Config config =
        bench.catalog().plugin("attention").default_config(each.variant, each.workload, bench.device(), values);
    for (int draw = 0; draw < 3; ++draw) check_right(bench, "attention", each.variant, each.workload, config);
  }
}

// A query of 1e5 that meets a key of 1e5 has a score of 1e9, and the largest score stays that for all tiles behind it.
TEST_CASE("attention keeps a row whose score is 1e9") {
  Bench bench;
  const std::string workload =
      bench.catalog()
          .plugin("attention")
          .add_shape("B=1 Hq=1 Hkv=1 Sq=64 Sk=768 D=64 causal=false dtype=bf16 lse=true", bench.device());
  for (const char* variant : {"60_wgmma", "75_persistent"}) {
    const Config config = bench.catalog().plugin("attention").default_config(variant, workload, bench.device(), {});
    for (int draw = 0; draw < 6; ++draw) {  // most have such a pair
      const Verdict verdict = bench.evaluate("attention", variant, workload, config, "wide spikes");
      for (const GateResult& gate : verdict.gates)
        if (!gate.passed) FAIL_CHECK(variant << ": " << gate.name << ": " << gate.detail);
      CHECK(verdict.passed());
    }
  }
}

// Rows that share their keys' conversion, and a thread a row: what is many is a number in two files.
TEST_CASE("attention's reference has two ways to the same numbers") {
  namespace fs = std::filesystem;
  const tests::Scratch scratch;
  const fs::path folder = scratch.path("kernels"), from = fs::path(HARNESS_SOURCE_DIR) / "kernels/attention";
  fs::create_directories(folder / "attention/variants");
  for (const char* variant : {"00_naive.lua", "00_naive.cu"})
    fs::copy_file(from / "variants" / variant, folder / "attention/variants" / variant);
  const auto copy_with = [&](const char* file, const std::string& number, const std::string& other) {
    std::string text = read_file((from / file).string());
    const std::size_t at = text.find(number);
    REQUIRE(at != std::string::npos);
    scratch.write(std::string("kernels/attention/") + file, text.replace(at, number.size(), other));
  };
  copy_with("kernel.lua", "MANY_ROWS = 65536", "MANY_ROWS = 1");
  copy_with("reference.cu", "MANY_ROWS 65536", "MANY_ROWS 1");
  Bench alone, together(folder);
  for (const char* workload :
       {"gqa_b2h8kv2s96_bf16_causal_lse", "chunk_b1h4s80k45_f16_causal", "shape_b1h4s100_f16_lse"}) {
    INFO(workload);
    const auto one = alone.reference("attention", workload), other = together.reference("attention", workload);
    for (const auto& [output, array] : one) {
      INFO(output);
      const auto& values = other.at(output).values;
      REQUIRE(values.size() == array.values.size());
      std::size_t apart = 0;
      for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != array.values[i] && !(std::fabs(values[i] - array.values[i]) <= 1e-12)) ++apart;
      CHECK(apart == 0);
    }
  }
}
