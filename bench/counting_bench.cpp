// What counting costs on the cpu device, for each variant of a kernel on one workload: a plain launch, one under the
// memory checker, one that is counted as `harness profile` does it (16 blocks), the same where blocks may depend on
// each other (all run, in turns), and one whose blocks are all counted. Seconds of the least of three launches, and
// ratios to the plain one. Run from the top folder; HARNESS is the program whose workers are used. Prints one JSON
// object each.
//   counting_bench HARNESS KERNEL [WORKLOAD [VARIANT]]
#include <cstdio>

#include "bench/device_bench.h"
#include "harness/system/awake_clock.h"
#include "harness/worker/memory/memory_check.h"

using namespace harness;

namespace {

constexpr double kDeadline = 60;  // s, of a launch

/// The least of three.
template <typename Prepare, typename Body>
double seconds_of(Prepare prepare, Body body) {
  double least = 0;
  for (int i = 0; i < 3; ++i) {
    prepare();
    const double begin = awake_seconds();
    if (auto failure = body()) throw bad_input(failure->detail);
    least = i == 0 ? awake_seconds() - begin : std::min(least, awake_seconds() - begin);
  }
  return least;
}

class CountingBench {
 public:
  CountingBench()
      : catalog_({"kernels", "tests/fixtures/counted"}, {"kernels/include"}),
        device_(bench::find_device("cpu")),
        target_(bench::make_target(device_)),
        builders_(target_, 2),
        judge_(target_, {}),
        runner_(target_, {}),
        workers_{find_kind(bench::kinds(), device_.device),
                 target_,
                 device_,
                 default_limits(device_),
                 {},
                 builders_,
                 judge_,
                 runner_,
                 nullptr,
                 {}} {}

  /// `only`: a variant; "": all.
  void measure(const std::string& kernel, std::string workload, const std::string& only) {
    const KernelInfo& info = catalog_.kernel(kernel);
    if (workload.empty()) workload = choose_workloads(info, {}, device_).front();
    for (const VariantInfo& variant : info.variants) {
      if (!only.empty() && variant.name != only) continue;
      if (!catalog_.plugin(kernel).has_configuration(variant.name, workload, device_)) continue;
      const Config config = catalog_.plugin(kernel).default_config(variant.name, workload, device_, {});
      const Realized realized = catalog_.plugin(kernel).realize({kernel, variant.name, "", config}, workload, device_);
      if (std::ranges::any_of(realized.plan.steps,
                              [](const Step& step) { return std::holds_alternative<LibraryCall>(step); }))
        continue;
      fmt::print("{}\n", measured(realized, workload).dump());
      std::fflush(stdout);
    }
  }

 private:
  json measured(const Realized& realized, const std::string& workload) {
    const double plain = launched(realized, realized.build, {});
    const BuildSpec instrumented = workers_.kind.checked_build(realized.build);
    const double checked = launched(realized, instrumented, {});
    const double counted = launched(realized, instrumented, CountingRequest{16, false});
    const double in_turns = launched(realized, instrumented, CountingRequest{16, true});
    const double all = launched(realized, instrumented, CountingRequest{1 << 30, false});
    return {{"kernel", realized.candidate.kernel},
            {"variant", realized.candidate.variant},
            {"workload", workload},
            {"plain_s", plain},
            {"checked_over_plain", checked / plain},
            {"counted_over_plain", counted / plain},
            {"counted_over_checked", counted / checked},
            {"in_turns_over_plain", in_turns / plain},
            {"all_counted_over_plain", all / plain}};
  }

  double launched(const Realized& realized, const BuildSpec& build, std::optional<CountingRequest> counting) {
    const BuildResult result = workers_.await(build);
    if (const auto* failure = std::get_if<CompileFailure>(&result)) throw bad_input(failure->log);
    Subject subject = workers_.make_subject(realized, std::get<Artifact>(result), nullptr);
    subject.trusted = workers_.build_trusted(realized);
    subject.executable.counting = counting;
    if (counting) subject.executable.plain = std::get<Artifact>(workers_.await(realized.build));
    workers_.paint(subject, 0);
    if (auto failure = runner_.prepare({{&subject.executable, {&subject.images[0]}}}, kDeadline))
      throw bad_input(failure->detail);
    std::vector<CountedLaunch> counts;
    return seconds_of([&] { workers_.repaint(subject, 0); },
                      [&] { return counting ? runner_.count(0, 0, kDeadline, counts) : runner_.run(0, 0, kDeadline); });
  }

  script::LuaCatalog catalog_;
  DeviceInfo device_;
  Target target_;
  Builders builders_;
  JudgeProcess judge_;
  Runner runner_;
  WorkerPool workers_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "counting_bench HARNESS KERNEL [WORKLOAD [VARIANT]]\n");
    return 2;
  }
  Process::set_program(argv[1]);
  CountingBench().measure(argv[2], argc > 3 ? argv[3] : "", argc > 4 ? argv[4] : "");
}
