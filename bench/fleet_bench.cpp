#include <fcntl.h>
#include <fmt/format.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <random>
#include <set>

#include "harness/campaign/loop.h"
#include "harness/fleet/fleet.h"
#include "harness/fleet/wire.h"
#include "harness/script/strategy/library.h"
#include "harness/store/archive.h"
#include "tests/fakes/ports.h"

// A simulated fleet: the real loop, strategy, searches, store and wire, over nodes whose evaluations are drawn instead
// of made, and take as long as one of attention does on an H200. Prints what the orchestrator itself takes and how much
// of the devices' time nobody used.
//   fleet_bench [--faults] NODES SECONDS...   (default: 8 10 64 15)
// With --faults 2 % of the evaluations never end, a node dies every few seconds, and one card is a tenth slower.
using namespace harness;
using namespace harness::fakes;

namespace {

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

class WallClock : public Clock {
 public:
  double seconds() override { return now_s(); }
  std::int64_t unix_seconds() override { return SystemClock().unix_seconds(); }
};

/// Eight workloads of 4,096 configurations each.
class LargeCatalog : public FakeCatalog {
 public:
  LargeCatalog() {
    info.workloads.clear();
    for (int i = 1; i <= 8; ++i) {
      Workload workload;
      workload.name = "w" + std::to_string(i);
      workload.sets = {"default"};
      info.workloads.push_back(workload);
    }
  }
  Space space(const std::string&, const std::string& variant, const std::string&, const DeviceInfo&) override {
    Space space;
    space.points = {{}};
    if (variant == "00_base") return space;
    space.points.clear();
    for (const char* name : {"A", "B", "N"}) {
      Parameter parameter{name, {}, "define"};
      for (std::int64_t value = 1; value <= 16; ++value) parameter.values.push_back(value);
      space.parameters.push_back(std::move(parameter));
    }
    for (std::uint16_t point = 0; point < 4096; ++point)
      space.points.push_back({static_cast<std::uint16_t>(point / 256), static_cast<std::uint16_t>(point / 16 % 16),
                              static_cast<std::uint16_t>(point % 16)});
    return space;
  }
};

double time_of(const Candidate& candidate) {
  if (candidate.variant == "00_base") return 1e6;
  const auto value = [&](const char* name) {
    return static_cast<double>(std::get<std::int64_t>(candidate.config.at(name)));
  };
  return 1e5 * (1 + std::pow(std::log(value("A") / 7), 2) + std::pow(std::log(value("B") / 3), 2) +
                0.1 * std::pow(value("N") - 9, 2));
}

struct Faults {
  bool on = false;
  double death_every_s = 4;
};

double simulated_s = 0;  // of processor time that the nodes took, which are in this process

/// A node that answers when the time of its evaluation has come.
class SimulatedNode : public fleet::Transport {
 public:
  SimulatedNode(const std::string& name, Faults faults, unsigned start)
      : name_(name),
        faults_(faults),
        random_(std::hash<std::string>()(name) + start),
        timer_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)),
        born_(now_s()) {
    DeviceInfo info;
    info.device = "cuda:0";
    info.name = "Simulated GPU";
    info.available = true;
    post(0, {{"hello", fleet::kProtocol},
             {"build", "bench"},
             {"driver_release", "1.0"},
             {"devices", {{{"info", info}, {"uuid", "GPU-" + name}, {"admission_key", "simulated"}}}}});
    next_beat_ = now_s();
    dies_ = faults.on ? born_ + std::exponential_distribution<>(1 / (faults.death_every_s * 64))(random_) : 1e18;
    arm();
  }
  ~SimulatedNode() override { close(timer_); }
  int descriptor() const override { return timer_; }

  bool send(std::string_view bytes) override {
    const double begin = cpu_s();
    calls_.add(bytes);
    while (const auto call = calls_.next()) take(*call);
    arm();
    simulated_s += cpu_s() - begin;
    return true;
  }

  std::optional<std::string> receive() override {
    const double begin = cpu_s();
    std::uint64_t ticks = 0;
    [[maybe_unused]] const ssize_t got = read(timer_, &ticks, sizeof ticks);
    const double now = now_s();
    if (now >= dies_) return std::nullopt;
    if (now >= next_beat_) {
      post(now, {{"beat", true}, {"at", working_}});
      next_beat_ = now + 1;
    }
    std::string all;
    while (!mail_.empty() && mail_.begin()->first <= now) {
      all += mail_.begin()->second;
      mail_.erase(mail_.begin());
    }
    if (working_ > 0 && done_at_ <= now) working_ = 0;
    arm();
    simulated_s += cpu_s() - begin;
    return all;
  }

 private:
  void post(double at, const json& message) { mail_.emplace(at, fleet::framed(fleet::Side::node, message)); }

  void arm() {
    double next = std::min(next_beat_, dies_);
    if (!mail_.empty()) next = std::min(next, mail_.begin()->first);
    const double left = std::max(1e-6, next - now_s());
    itimerspec when{};
    when.it_value.tv_sec = static_cast<time_t>(left);
    when.it_value.tv_nsec = static_cast<long>((left - std::floor(left)) * 1e9);
    timerfd_settime(timer_, 0, &when, nullptr);
  }

  void take(const json& call) {
    if (!call.contains("call") || !seen_.insert(call.at("id").get<std::int64_t>()).second) return;
    const json id = call.at("id");
    if (call.at("call") != "evaluate") return post(0, {{"id", id}, {"answer", {{"preflight", nullptr}}}});
    working_ = id;
    const double cost = std::lognormal_distribution<>(std::log(1.2), 0.5)(random_);
    done_at_ = now_s() + cost;
    if (faults_.on && random_() % 50 == 0) {
      done_at_ = 1e18;
      return;
    }
    post(done_at_, {{"id", id}, {"answer", {{"evaluation", evaluated(call.at("request"), cost)}, {"prepare_s", 0.0}}}});
  }

  json evaluated(const json& request, double cost) {
    const double slow = faults_.on && name_ == "n-2" ? 1.1 : 1.0;
    const double noise = 1 + std::normal_distribution<>(0, 0.002)(random_);
    const auto candidate = request.at("name").at("candidate").get<Candidate>();
    Timing timing;
    timing.time_ns = time_of(candidate) * slow * noise;
    timing.time_lo_ns = timing.time_ns * 0.996;
    timing.time_hi_ns = timing.time_ns * 1.004;
    timing.baseline_ns = request.at("baseline_ns").get<std::optional<double>>();
    timing.samples.rotating_ns.assign(60, timing.time_ns);
    if (const json& incumbent = request.at("incumbent"); !incumbent.is_null()) {
      const double other = time_of(incumbent.at("name").at("candidate").get<Candidate>()) * slow;
      timing.incumbent_ns = other;
      timing.verdict = timing.time_hi_ns < other   ? Comparison::faster
                       : timing.time_lo_ns > other ? Comparison::slower
                                                   : Comparison::same;
      const double baseline = other * incumbent.at("speedup").get<std::optional<double>>().value_or(1);
      timing.baseline_ns = baseline;
      timing.speedup = baseline / timing.time_ns;
      timing.speedup_lo = baseline / timing.time_hi_ns;
      timing.speedup_hi = baseline / timing.time_lo_ns;
    }
    Evaluation evaluation;
    evaluation.outcome = Passed{timing};
    for (int i = 0; i < 30; ++i) evaluation.gates.push_back({"gate " + std::to_string(i), true, "as it should be"});
    evaluation.cost.wall_s = cost;
    evaluation.cost.timing_s = cost / 3;
    return fleet::to_wire(evaluation, "");
  }

  std::string name_;
  Faults faults_;
  std::mt19937 random_;
  int timer_;
  double born_, next_beat_ = 0, dies_ = 0, done_at_ = 0;
  fleet::Lines calls_{fleet::Side::lead};
  std::multimap<double, std::string> mail_;
  std::set<std::int64_t> seen_;
  std::int64_t working_ = 0;
};

void run(int nodes, double seconds, Faults faults) {
  simulated_s = 0;
  unsigned starts = 0;
  fleet::FleetOptions options;
  NodeSpec spec;
  spec.name = "n";
  spec.count = nodes;
  options.nodes = {spec};
  options.build = "bench";
  options.patience = {.silence = 10, .again = 5, .evaluation = 6, .grace = 1, .restarts = 1000};
  options.start = [&](const NodeSpec& node) -> std::unique_ptr<fleet::Transport> {
    return std::make_unique<SimulatedNode>(node.name, faults, ++starts);
  };
  fleet::NodeFleet fleet(std::move(options));
  LargeCatalog catalog;
  fleet.prepare_for(catalog, {"k"});
  script::Library scripts({std::filesystem::path(HARNESS_SOURCE_DIR) / "strategies"});
  const auto archive = store::open_archive(":memory:", ArchiveAccess::write);
  Admission admission;
  admission.kernel = "k";
  admission.hash = catalog.admission_hash("k");
  admission.device_key = "simulated";
  admission.passed = true;
  archive->ledger().record_admission(admission);
  archive->ledger().record_peaks(fleet.evaluator().device(), {.bytes_per_s = 4e12});
  FakeDisplay display;
  WallClock clock;
  CampaignOptions campaign_options;
  campaign_options.kernels = {"k"};
  campaign_options.budget_s = seconds;
  json environment = {{"devices", nodes}};
  CampaignPorts ports{catalog, scripts, fleet.evaluator(), archive->ledger(), display, clock, {}, environment};
  ports.fleet = &fleet;
  const double cpu_before = cpu_s(), begin = now_s();
  const CampaignSummary summary = Campaign(std::move(ports), campaign_options, std::nullopt).run();
  const double own = cpu_s() - cpu_before - simulated_s;
  double busy = 0, first = 1e18, last = 0;
  std::multiset<std::string> told;
  std::int64_t searched = 0;
  for (const IterationSummary& row : archive->ledger().iterations(summary.campaign)) {
    if (row.purpose != Purpose::search) continue;
    ++searched;
    busy += row.wall_s;
    first = std::min(first, row.begun_unix);
    last = std::max(last, row.begun_unix);
    if (!says_nothing(row.outcome)) told.insert(row.workload + " " + to_text(row.candidate.config));
  }
  bool twice = false;
  for (const std::string& each : told) twice = twice || told.count(each) > 1;
  // Up to the last one that was begun: after it devices are idle because the budget is.
  double until_last = 0;
  for (const IterationSummary& row : archive->ledger().iterations(summary.campaign))
    if (row.purpose == Purpose::search)
      until_last += std::max(0.0, std::min(last, row.begun_unix + row.wall_s) - row.begun_unix);
  const double held = nodes * std::max(1e-9, last - first);
  fmt::print("{}\n", json{{"nodes", nodes},
                          {"faults", faults.on},
                          {"seconds", now_s() - begin},
                          {"evaluations", searched},
                          {"own_ms_per_evaluation", 1e3 * own / static_cast<double>(summary.iterations)},
                          {"idle_share", 1 - until_last / held},
                          {"bytes_per_evaluation", fleet.bytes() / static_cast<std::size_t>(summary.iterations)},
                          {"outcomes", summary.outcomes},
                          {"counted_twice", twice},
                          {"orphans", archive->ledger().orphans(summary.campaign).size()},
                          {"reason", summary.reason},
                          {"message", summary.message},
                          {"score", summary.score}}
                         .dump());
}

}  // namespace

int main(int argc, char** argv) {
  Faults faults;
  std::vector<double> numbers;
  for (int i = 1; i < argc; ++i)
    if (std::string(argv[i]) == "--faults") faults.on = true;
    else numbers.push_back(std::stod(argv[i]));
  if (numbers.empty()) numbers = {8, 10, 64, 15};
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) run(static_cast<int>(numbers[i]), numbers[i + 1], faults);
  return 0;
}
