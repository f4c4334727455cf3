#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "harness/core/json.h"
#include "harness/device/cpu/compile/compiler.h"
#include "harness/device/cpu/probe.h"
#include "harness/device/cpu/session.h"
#include "harness/judge/layout.h"
#include "harness/judge/paint.h"
#include "harness/judge/reference.h"
#include "harness/script/catalog/catalog.h"
#include "harness/system/files.h"
#include "tests/support/program.h"
#include "tests/support/turns.h"

// The attacks in tests/hostile are only worth defending against if they work. Here they meet the gate that many
// harnesses have: one shape, one fixed input, buffers nobody poisons, a tolerance of 1e-2 (absolute, or of the largest
// value where that is above 1), and it runs in the process of what it judges. An attack that this gate finds out is a
// dud.
using namespace harness;

namespace {

const std::filesystem::path kRoot = HARNESS_SOURCE_DIR;

// What outputs hold before the launch.
enum class Before { zeros, answers };

// What cannot be shown in one process on the emulation: it ends the process, needs a GPU's scheduling or memory, or is
// already refused before it runs, or as it does (constant memory that was changed).
const std::set<std::string> kNotHere = {"04_memo_neighbour", "04_memo_filled",      "13_hunts_for_answers",
                                        "14_race",           "14_oversized_shared", "14_uninitialised_shared",
                                        "19_hang",           "19_includes_a_file",  "19_wild_write",
                                        "01_stale_scratch",  "11_pragma_evict",     "18_pragma_clock",
                                        "18_escaped_clock",  "19_digraph_include",  "20_neighbours_answer"};

std::vector<std::pair<std::string, std::string>> attacks_in_device_code() {
  std::vector<std::pair<std::string, std::string>> attacks;
  for (const json& each : parse_json(read_file((kRoot / "tests/hostile/expectations.json").string())))
    if (each["devices"].size() == 2 && kNotHere.count(each["variant"]) == 0 &&
        (tests::takes_all() || !each.value("nightly", false)))
      attacks.emplace_back(each["kernel"], each["variant"]);
  return attacks;
}

class NaiveGate {
 public:
  NaiveGate()
      : catalog_({kRoot / "tests/hostile"}, {kRoot / "kernels/include"}),
        compiler_(tests::build_cache(), (kRoot / "harness/device/cpu/guest").string()),
        device_(probe_cpu()) {}

  bool passes(const std::string& kernel, const std::string& variant, Before before) {
    const std::string workload = kernel == "rowstats"  ? "m256n8192_f32"
                                 : kernel == "rowdots" ? "b24k1000"
                                                       : "m64n8192_f32";
    const Config config = catalog_.plugin(kernel).default_config(variant, workload, device_, {});
    const Realized realized = catalog_.plugin(kernel).realize({kernel, variant, "", config}, workload, device_);
    const Executable executable{build(realized.build), realized.plan, realized.problem,
                                judge::make_layout(realized.problem, realized.plan)};
    std::vector<std::byte> image(static_cast<std::size_t>(executable.layout.bytes));
    judge::paint(realized.problem, realized.plan, executable.layout, 42, image);
    const Values answers = reference(realized, executable.layout, image);
    prepare(realized, executable.layout, before == Before::answers ? answers : Values{}, image);
    session_.run(executable, image);
    return close(realized, executable.layout, answers, image) ||
           close(realized, executable.layout, reference(realized, executable.layout, image), image);
  }

 private:
  using Values = judge::ReferenceValues;

  Artifact build(const BuildSpec& spec) {
    const BuildResult result = compiler_.build(spec);
    if (const auto* failure = std::get_if<CompileFailure>(&result)) FAIL(failure->log);
    return std::get<Artifact>(result);
  }

  // From the inputs as they are now. Some gates ask before the launch, some after it, and then a candidate that has
  // changed its inputs has changed its own yardstick.
  Values reference(const Realized& realized, const ImageLayout& layout, const std::vector<std::byte>& image) {
    judge::ReferenceJob job = judge::make_reference_job(realized.problem, read_file(realized.problem.reference.source));
    job.spec.include_dirs = realized.build.include_dirs;
    job.executable.artifact = build(job.spec);
    judge::Bytes own = judge::reference_image(realized.problem, layout, image, job);
    session_.run(job.executable, own);
    return judge::read_reference(realized.problem, job, own);
  }

  static bool is_output(const Argument& argument) { return argument.kind == ArgumentKind::output; }

  static float* floats(const ImageLayout& layout, const std::string& name, std::vector<std::byte>& image) {
    return reinterpret_cast<float*>(image.data() + find_buffer(layout, name)->offset);
  }

  static void prepare(const Realized& realized, const ImageLayout& layout, const Values& answers,
                      std::vector<std::byte>& image) {
    for (const Argument& argument : realized.problem.arguments) {
      if (!is_output(argument)) continue;
      float* const out = floats(layout, argument.name, image);
      for (std::int64_t i = 0; i < count_elements(argument); ++i)
        out[i] = answers.empty() ? 0.0F : static_cast<float>(answers.at(argument.name).values[i]);
    }
  }

  static bool close(const Realized& realized, const ImageLayout& layout, const Values& reference,
                    std::vector<std::byte>& image) {
    for (const Argument& argument : realized.problem.arguments) {
      if (!is_output(argument)) continue;
      const float* const out = floats(layout, argument.name, image);
      const auto& expected = reference.at(argument.name).values;
      double largest = 1;
      for (const double value : expected) largest = std::max(largest, std::fabs(value));
      for (std::size_t i = 0; i < expected.size(); ++i)
        if (!(std::fabs(out[i] - expected[i]) <= 1e-2 * largest)) return false;
    }
    return true;
  }

  script::LuaCatalog catalog_;
  CpuCompiler compiler_;
  CpuSession session_;
  DeviceInfo device_;
};

}  // namespace

TEST_CASE("every attack in device code works against a naive gate", "[hostile]") {
  NaiveGate gate;
  std::size_t index = 0;
  for (const auto& [kernel, variant] : attacks_in_device_code()) {
    if (!tests::in_slice(index++, 4)) continue;
    INFO(kernel << "/" << variant);
    CHECK((gate.passes(kernel, variant, Before::zeros) || gate.passes(kernel, variant, Before::answers)));
  }
}
