// For authors of kernels: times of many configurations, without gates. Nothing is recorded, and no time here is a
// result: a wrong kernel has one, too. Run from the top folder; HARNESS is the program whose workers are used.
//   sweep_bench [--draw N SEED] HARNESS DEVICE KERNEL WORKLOAD VARIANT[,NAME=VALUE...]...
// WORKLOAD: a name, or a shape ("B=4 Sq=300", the rest as in the first workload).
// Every valid configuration of each variant that has the given values, or N of them that SEED draws, is built (all at
// once), launched on one and the same draw, and timed. Its outputs are compared with those of the first configuration,
// which is judged. Prints one JSON object each; `off`: the relative L2 distance of its outputs from the first one's.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <sstream>

#include "bench/device_bench.h"
#include "harness/evaluate/launches.h"
#include "harness/evaluate/statistics.h"

using namespace harness;

namespace {

bool matches(const Config& config, const Config& given) {
  return std::ranges::all_of(given, [&](const auto& wanted) {
    const auto found = config.find(wanted.first);
    return found != config.end() && same_value(found->second, wanted.second);
  });
}

/// N of a variant's configurations, at random; the same for the same seed.
struct Draw {
  std::size_t most = SIZE_MAX;
  std::uint64_t seed = 0;

  void keep(std::vector<Config>& configs) const {
    if (configs.size() <= most) return;
    std::mt19937_64 chance(seed);
    for (std::size_t i = 0; i < most; ++i) std::swap(configs[i], configs[i + chance() % (configs.size() - i)]);
    configs.resize(most);
  }
};

/// The elements of all outputs.
std::vector<float> outputs(const Subject& subject) {
  std::vector<float> values;
  for (const Argument& a : subject.problem().arguments) {
    const ImageBuffer* const buffer =
        is_written(a.kind) && !a.absent ? find_buffer(subject.executable.layout, a.name) : nullptr;
    if (buffer == nullptr) continue;
    const auto unit = static_cast<std::int64_t>(storage_bytes(a.dtype));
    const std::byte* const data = subject.images[0].bytes().data() + buffer->offset;
    for (std::int64_t i = 0; i < buffer->bytes / unit; ++i)
      values.push_back(static_cast<float>(load_as_double(a.dtype, data + i * unit)));
  }
  return values;
}

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;  // infinities, too
    difference += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
  }
  for (const float value : b) size += std::isfinite(value) ? double{value} * value : 0;
  return std::sqrt(difference / std::max(size, 1e-30));
}

class Sweep {
 public:
  Sweep(const std::string& device_name, std::string kernel, std::string workload)
      : catalog_({"kernels"}, {"kernels/include"}),
        device_(bench::find_device(device_name)),
        target_(bench::make_target(device_)),
        builders_(target_, bench::builder_count()),
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
                 {}},
        kernel_(std::move(kernel)),
        workload_(workload.find('=') == std::string::npos ? std::move(workload)
                                                          : catalog_.plugin(kernel_).add_shape(workload, device_)) {}

  void run(const std::vector<bench::Chosen>& all, const Draw& draw) {
    for (const bench::Chosen& asked : all) add(asked, draw);
    for (const Realized& realized : realized_) builders_.submit(realized.build, true);
    for (const Realized& realized : realized_) {
      json line = {{"workload", workload_},
                   {"variant", realized.candidate.variant},
                   {"config", config_to_json(realized.candidate.config)}};
      measure(realized, line);
      std::puts(json_text(line).c_str());
      std::fflush(stdout);
    }
  }

 private:
  void add(const bench::Chosen& asked, const Draw& draw) {
    const VariantInfo& variant = bench::find_variant(catalog_.kernel(kernel_), asked.variant);
    const Space space = catalog_.plugin(kernel_).space(asked.variant, workload_, device_);
    std::vector<Config> configs;
    for (std::size_t point = 0; point < space.points.size(); ++point)
      if (const Config config = configuration(space, point); matches(config, asked.given)) configs.push_back(config);
    draw.keep(configs);
    for (const Config& config : configs)
      realized_.push_back(
          catalog_.plugin(kernel_).realize({kernel_, asked.variant, variant.technique, config}, workload_, device_));
    if (configs.empty()) fmt::print(stderr, "no valid configuration of '{}' has the given values\n", asked.variant);
  }

  void measure(const Realized& realized, json& line) {
    const BuildResult built = workers_.await(realized.build);
    const auto* const artifact = std::get_if<Artifact>(&built);
    if (artifact == nullptr) {
      line["failure"] = std::get<CompileFailure>(built).log.substr(0, 400);
      return;
    }
    if (!artifact->notes.empty()) line["notes"] = artifact->notes;
    Subject subject = workers_.make_subject(realized, *artifact, nullptr);
    subject.trusted = workers_.build_trusted(realized);
    paint(subject);
    if (workers_.native()) runner_.kill();
    std::optional<RunnerFailure> failure = runner_.prepare({{&subject.executable, {&subject.images[0]}}}, kDeadline);
    if (!failure) failure = runner_.run(0, 0, kDeadline);
    if (!failure) compare(subject, line);
    if (!failure && !workers_.native()) failure = time(subject, line);
    if (!failure) return;
    line["failure"] = failure->detail;
    runner_.kill();
  }

  /// The same draw for all: painted once for each layout.
  void paint(Subject& subject) {
    std::vector<std::byte>& pristine = pristine_[json_text(subject.executable.layout)];
    subject.images.emplace_back(subject.image_bytes());
    subject.draws.push_back({kSeed, "nominal"});
    const auto bytes = subject.images[0].bytes();
    if (pristine.empty()) {
      judge_.paint(subject.executable, subject.trusted, subject.draws[0], subject.images[0]);
      pristine.assign(bytes.begin(), bytes.end());
      judge_.forget();
    } else {
      std::memcpy(bytes.data(), pristine.data(), pristine.size());
    }
  }

  void compare(const Subject& subject, json& line) {
    const std::vector<float> here = outputs(subject);
    if (first_.empty()) {
      const Verdict verdict = judge_.verdict(subject.executable, subject.trusted, subject.draws[0], subject.images[0]);
      const GateResult* const failed = first_failed(verdict.gates);
      line["judged"] = failed == nullptr ? errors_in_words(verdict) : failed->name + ": " + failed->detail;
      first_ = here;
    }
    line["off"] = distance(here, first_);
  }

  std::optional<RunnerFailure> time(const Subject& subject, json& line) {
    // Mostly pauses: the power cap must not choose among kernels that a user calls in short bursts.
    const TimingPolicy policy{
        .noise = 0.005, .max_s = 0.5, .burst_s = 0.01, .pause_s = 0.05, .min_samples = 6, .cold = false};
    std::vector<Samples> samples;
    if (auto failure = runner_.time(policy, kDeadline, samples)) return failure;
    bench::add_rates(line, subject.problem().work, estimate(samples.at(0).rotating_ns, {}).median);
    if (!samples.at(0).clock_mhz.empty()) line["clock_mhz"] = estimate(samples.at(0).clock_mhz, {}).median;
    line["warm_us"] = estimate(samples.at(0).warm_ns, {}).median / 1e3;
    return std::nullopt;
  }

  static constexpr double kDeadline = 20;
  static constexpr std::uint64_t kSeed = 20261122;
  script::LuaCatalog catalog_;
  DeviceInfo device_;
  Target target_;
  Builders builders_;
  JudgeProcess judge_;
  Runner runner_;
  WorkerPool workers_;
  std::string kernel_, workload_;
  std::vector<Realized> realized_;
  std::map<std::string, std::vector<std::byte>> pristine_;  // images as painted, by layout
  std::vector<float> first_;
};

}  // namespace

int main(int argc, char** argv) {
  const char* const program = argv[0];
  Draw draw;
  if (argc > 3 && std::strcmp(argv[1], "--draw") == 0) {
    draw = {std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10)};
    argv += 3, argc -= 3;
  }
  if (argc < 6) {
    fmt::print(stderr, "usage: {} [--draw N SEED] HARNESS DEVICE KERNEL WORKLOAD VARIANT[,NAME=VALUE...]...\n",
               program);
    return 2;
  }
  try {
    Process::set_program(argv[1]);
    Sweep sweep(argv[2], argv[3], argv[4]);
    std::vector<bench::Chosen> asked;
    for (int i = 5; i < argc; ++i) asked.push_back(bench::parse_chosen(argv[i]));
    sweep.run(asked, draw);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "sweep_bench: {}\n", error.what());
    return 3;
  }
}
