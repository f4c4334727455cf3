#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
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
// of made, and take as long as one of attention does on an H200. Prints what the orchestrator itself takes and what the
// devices' time was used for, by the nodes' own account; `idle_share` is what nobody used of it, from the first
// evaluation that a search asked for until the last of these began.
//   fleet_bench [--faults] NODES SECONDS...   (default: 8 10 64 15)
//   fleet_bench --day [NODES [HOURS]]         (default: 64 24)
// With --faults 2 % of the evaluations never end, a node dies every few seconds, one card is a tenth slower, and one
// drifts. With --day the same happens in a time that leaps to what happens next: an evaluation takes four minutes, a
// node dies every three, and a card loses a hundredth of its speed an hour, from the sixth hour on. What is then added
// up is what must not happen: something lost, something counted twice, a card that wins by being slow, one that drifts
// unseen.
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

class SimulatedNode;

/// The time of a run: the machine's, or one that leaps to what happens next.
struct Timeline {
  bool leaps = false;
  double leapt = 0;
  std::set<SimulatedNode*> nodes;
  double now() const { return leaps ? leapt : now_s(); }
  void wait(std::vector<pollfd>& ends, double patience_s);
};
Timeline timeline;

class RunClock : public Clock {
 public:
  double seconds() override { return 1000 + timeline.now(); }
  std::int64_t unix_seconds() override { return SystemClock().unix_seconds(); }
};

/// Eight workloads of 4,096 configurations each.
class LargeKernel : public FakeKernel {
 public:
  LargeKernel() {
    data.workloads.clear();
    for (int i = 1; i <= 8; ++i) {
      Workload workload;
      workload.name = "w" + std::to_string(i);
      workload.sets = {"default"};
      data.workloads.push_back(workload);
    }
  }
  Space space(const std::string& variant, const std::string&, const DeviceInfo&) override {
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

/// What goes wrong, and how long things take, seconds.
struct Course {
  bool faults = false;
  int nodes = 64;
  double evaluation_s = 1.2, death_every_s = 4, beat_s = 1;
  double drifts_from_s = 5, drift_a_second = 0.01;  // of the drifting card
  // Of the middle: the first nodes of a fleet are given the first evaluations, which bring most of the new bests.
  std::string slow() const { return fmt::format("n-{}", nodes / 2); }
  std::string drifting() const { return fmt::format("n-{}", nodes / 2 + 1); }
};

/// What a device was used for, and when.
enum class Use { search, other_evaluation, incumbent_alone, calibration };
struct Stretch {
  Use use;
  double begin, end;
  double within(double from, double to) const { return std::max(0.0, std::min(end, to) - std::max(begin, from)); }
};
std::vector<Stretch> stretches;      // of all devices of a run
std::set<std::string> asked_before;  // candidates that a search asked for, in a run

/// Device seconds, by what they were used for, while searches asked for evaluations; and those that nobody used before
/// that (baselines come first), meanwhile (what waits for decisions) and after it (the budget's end, confirmations).
struct Used {
  double search = 0, other_evaluations = 0, incumbents_alone = 0, calibrations = 0;
  double idle_before = 0, idle = 0, idle_after = 0, held = 0;
};

Used add_up_uses(int nodes, double begin, double end) {
  double first = end, last = begin;
  for (const Stretch& each : stretches)
    if (each.use == Use::search) first = std::min(first, each.begin), last = std::max(last, each.begin);
  Used used;
  used.held = nodes * (last - first);
  used.idle = used.held;
  used.idle_before = nodes * (first - begin);
  used.idle_after = nodes * (end - last);
  for (const Stretch& each : stretches) {
    double* const sums[] = {&used.search, &used.other_evaluations, &used.incumbents_alone, &used.calibrations};
    *sums[static_cast<std::size_t>(each.use)] += each.within(first, last);
    used.idle_before -= each.within(begin, first);
    used.idle -= each.within(first, last);
    used.idle_after -= each.within(last, end);
  }
  return used;
}

double run_began_s = 0;  // on the machine's clock
double simulated_s = 0;  // of processor time that the nodes took, which are in this process

/// A node that answers when the time of its evaluation has come.
class SimulatedNode : public fleet::Transport {
 public:
  SimulatedNode(const std::string& name, Course course, unsigned start)
      : name_(name),
        course_(course),
        random_(std::hash<std::string>()(name) + start),
        timer_(timeline.leaps ? 1000 + static_cast<int>(start)
                              : timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {
    timeline.nodes.insert(this);
    DeviceInfo info;
    info.device = "cuda:0";
    info.name = "Simulated GPU";
    info.uuid = "GPU-" + name;
    info.available = true;
    post(0, {{"hello", fleet::kProtocol},
             {"build", "bench"},
             {"driver_release", "1.0"},
             {"devices", {{{"info", info}, {"uuid", info.uuid}, {"admission_key", "simulated"}}}}});
    next_beat_ = timeline.now();
    const double each_dies_s = course.death_every_s * course.nodes;
    dies_ = course.faults ? timeline.now() + std::exponential_distribution<>(1 / each_dies_s)(random_) : 1e18;
    arm();
  }
  ~SimulatedNode() override {
    timeline.nodes.erase(this);
    if (last_stretch_) stretches[*last_stretch_].end = std::min(stretches[*last_stretch_].end, timeline.now());
    if (!timeline.leaps) close(timer_);
  }
  int descriptor() const override { return timer_; }
  /// When it has something to say, or ends.
  double next_s() const {
    const double next = std::min(next_beat_, dies_);
    return mail_.empty() ? next : std::min(next, mail_.begin()->first);
  }

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
    if (!timeline.leaps && read(timer_, &ticks, sizeof ticks) < 0) ticks = 0;  // it was not yet time
    const double now = timeline.now();
    if (now >= dies_) return std::nullopt;
    if (now >= next_beat_) {
      post(now, {{"beat", true}, {"at", working_}});
      next_beat_ = now + course_.beat_s;
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
    if (timeline.leaps) return;
    const double left = std::max(1e-6, next_s() - timeline.now());
    itimerspec when{};
    when.it_value.tv_sec = static_cast<time_t>(left);
    when.it_value.tv_nsec = static_cast<long>((left - std::floor(left)) * 1e9);
    timerfd_settime(timer_, 0, &when, nullptr);
  }

  /// How much longer its card takes than others of its name, at this moment.
  double slowness() const {
    if (!course_.faults) return 1;
    if (name_ == course_.slow()) return 1.1;
    const double drifting_s = timeline.now() - started_s_ - course_.drifts_from_s;
    return name_ == course_.drifting() ? 1 + course_.drift_a_second * std::max(0.0, drifting_s) : 1;
  }

  double noise() { return 1 + std::normal_distribution<>(0, 0.002)(random_); }

  void take(const json& call) {
    if (!call.contains("call") || !seen_.insert(call.at("id").get<std::int64_t>()).second) return;
    const json id = call.at("id");
    const std::string uuid = "GPU-" + name_;
    if (call.at("call") == "calibrate") {
      const CardCalibration found{4e12 / slowness() * noise(), 8e14 / slowness() * noise(), "simulated", {}};
      working_ = id;
      done_at_ = timeline.now() + 0.2;
      note(Use::calibration, timeline.now(), done_at_);
      return post(done_at_, {{"id", id}, {"uuid", uuid}, {"answer", {{"calibration", found}, {"seconds", 0.2}}}});
    }
    if (call.at("call") != "evaluate") return post(0, {{"id", id}, {"answer", {{"preflight", nullptr}}}});
    working_ = id;
    const double cost = std::lognormal_distribution<>(std::log(course_.evaluation_s), 0.5)(random_);
    const json& incumbent = call.at("request").at("incumbent");
    const bool alone = !incumbent.is_null() && incumbent.at("by_record") == true && incumbent.at("alone_ns") == 0.0;
    const double calibration_s = alone ? cost / 6 : 0;
    const double alone_until = timeline.now() + calibration_s;
    done_at_ = alone_until + cost;
    const bool hangs = course_.faults && random_() % 50 == 0;
    if (hangs) done_at_ = 1e18;
    if (alone) note(Use::incumbent_alone, timeline.now(), alone_until);
    note(is_of_search(call.at("request")) ? Use::search : Use::other_evaluation, alone_until, done_at_);
    if (hangs) return;
    post(done_at_,
         {{"id", id},
          {"uuid", uuid},
          {"answer", {{"evaluation", evaluated(call.at("request"), cost, calibration_s)}, {"prepare_s", 0.0}}}});
  }

  /// For the first time: what was lost is tried again, also when nothing else is begun any more.
  static bool is_of_search(const json& request) {
    const json& name = request.at("name");
    return name.at("candidate").at("variant") != "00_base" && request.at("confirm") == false &&
           asked_before.insert(name.dump()).second;
  }

  void note(Use use, double begin, double end) {
    last_stretch_ = stretches.size();
    stretches.push_back({use, begin, end});
  }

  json evaluated(const json& request, double cost, double calibration_s) {
    const double slow = slowness();
    const auto candidate = request.at("name").at("candidate").get<Candidate>();
    Timing timing;
    timing.time_ns = time_of(candidate) * slow * noise();
    timing.time_lo_ns = timing.time_ns * 0.996;
    timing.time_hi_ns = timing.time_ns * 1.004;
    timing.baseline_ns = request.at("baseline_ns").get<std::optional<double>>();
    timing.samples.rotating_ns.assign(60, timing.time_ns);
    Evaluation evaluation;
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
      if (incumbent.at("by_record") == true) evaluation.incumbent_alone_ns = other;
    }
    evaluation.outcome = Passed{timing};
    for (int i = 0; i < 30; ++i) evaluation.gates.push_back({"gate " + std::to_string(i), true, "as it should be"});
    evaluation.cost.wall_s = cost;
    evaluation.cost.timing_s = cost / 3;
    evaluation.calibration_s = calibration_s;
    return fleet::to_wire(evaluation, "");
  }

  std::string name_;
  Course course_;
  std::mt19937 random_;
  int timer_;
  double started_s_ = timeline.leaps ? 0 : run_began_s;
  double next_beat_ = 0, dies_ = 0, done_at_ = 0;
  fleet::Lines calls_{fleet::Side::lead};
  std::multimap<double, std::string> mail_;
  std::set<std::int64_t> seen_;
  std::int64_t working_ = 0;
  std::optional<std::size_t> last_stretch_;
};

/// Leaps to the next thing that a node has to say, not far at once: what has not been heard is noticed in between.
void Timeline::wait(std::vector<pollfd>& ends, double patience_s) {
  if (!leaps) return fleet::wait_for_input(ends, patience_s);
  constexpr double kFarthest = 5;
  double next = leapt + kFarthest;
  for (const SimulatedNode* node : nodes) next = std::min(next, node->next_s());
  if (patience_s > 0) leapt = std::max(leapt + 1e-6, next);
  std::map<int, short> ready;
  for (const SimulatedNode* node : nodes)
    if (node->next_s() <= leapt) ready[node->descriptor()] = POLLIN;
  for (pollfd& end : ends)
    if (const auto found = ready.find(end.fd); found != ready.end()) end.revents = found->second;
}

/// Whether a card got on by what it is, instead of by what it was given: how often a new best was found on each.
class BestsDisplay : public FakeDisplay {
 public:
  void iteration(const IterationEnded& event) override {
    FakeDisplay::iteration(event);
    ++evaluations[event.attempt.node];
    bests[event.attempt.node] += event.new_best ? 1 : 0;
  }
  std::map<std::string, int> evaluations, bests;
  /// New bests of a node beside what its share of the evaluations would bring.
  double beside_share(const std::string& node) {
    double all = 0, found = 0;
    for (const auto& [each, count] : evaluations) all += count;
    for (const auto& [each, count] : bests) found += count;
    return bests[node] / std::max(1e-9, found * evaluations[node] / std::max(1.0, all));
  }
};

/// What is read off the record afterwards.
struct Findings {
  double regret = 1;         // the true time of the worst of the bests, over the best that was seen on its workload
  double slow_card_off = 0;  // by how much the slow card's times, as the anchor shows them, are off beside the others'
  bool twice = false;
};

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

Findings read_off(const std::vector<IterationSummary>& rows, const CampaignSummary& summary, const Course& course) {
  Findings findings;
  std::multiset<std::string> told;
  std::map<std::string, double> best;                          // true times, by workload
  std::map<std::string, std::vector<double>> told_true, slow;  // by workload: as it is told over what it is
  for (const IterationSummary& row : rows) {
    if (row.purpose == Purpose::search && !says_nothing(row.outcome))
      told.insert(row.workload + " " + to_text(row.candidate.config));
    if (row.outcome != OutcomeKind::passed || row.purpose != Purpose::search) continue;
    const double truth = time_of(row.candidate);
    const auto [known, fresh] = best.try_emplace(row.workload, truth);
    known->second = std::min(known->second, truth);
    (row.node == course.slow() ? slow : told_true)[row.workload].push_back(row.anchor_ns.value_or(*row.time_ns) /
                                                                           truth);
  }
  for (const std::string& each : told) findings.twice = findings.twice || told.count(each) > 1;
  for (const BestRow& row : summary.best) {
    if (row.state.best_variant.empty() || row.state.best_variant == "00_base" || !best.contains(row.state.workload))
      continue;
    const Candidate candidate{"k", row.state.best_variant, "tile", row.config};
    findings.regret = std::max(findings.regret, time_of(candidate) / best.at(row.state.workload));
  }
  for (const auto& [workload, ratios] : slow)
    if (!told_true[workload].empty())
      findings.slow_card_off =
          std::max(findings.slow_card_off, std::abs(median(ratios) / median(told_true[workload]) - 1));
  return findings;
}

/// A fleet whose calibrations are counted as they go by.
class CountedFleet : public fleet::NodeFleet {
 public:
  using NodeFleet::NodeFleet;
  std::vector<CardCheck> take_card_checks() override {
    std::vector<CardCheck> checks = NodeFleet::take_card_checks();
    for (const CardCheck& check : checks) {
      const std::string verdict(name(check.verdict));
      verdicts[verdict] = verdicts.value(verdict, 0) + 1;
      seconds += check.seconds;
      if (!check.why.empty()) said.push_back(fmt::format("{} {}: {}", check.node, verdict, check.why));
    }
    return checks;
  }
  json verdicts = json::object(), said = json::array();
  double seconds = 0;
};

std::int64_t doubted(const CampaignFigures& figures) {
  std::int64_t all = 0;
  const Figure& cards = figures.of("cards");
  for (const json& row : cards.rows) all += cards.at(row, "doubted").get<std::int64_t>();
  return all;
}

void run(Course course, double seconds, fleet::Patience patience, fleet::CardRules cards) {
  const int nodes = course.nodes;
  simulated_s = 0;
  stretches.clear();
  asked_before.clear();
  run_began_s = now_s();
  timeline.leapt = 0;
  unsigned starts = 0;
  fleet::FleetOptions options;
  NodeSpec spec;
  spec.name = "n";
  spec.count = nodes;
  options.nodes = {spec};
  options.build = "bench";
  options.patience = patience;
  options.cards = cards;
  options.now = [] { return timeline.now(); };
  options.wait = [](std::vector<pollfd>& ends, double patience_s) { timeline.wait(ends, patience_s); };
  options.start = [&](const NodeSpec& node) -> std::unique_ptr<fleet::Transport> {
    return std::make_unique<SimulatedNode>(node.name, course, ++starts);
  };
  CountedFleet fleet(std::move(options));
  FakeCatalog catalog(std::make_unique<LargeKernel>());
  fleet.prepare_for(catalog, {"k"});
  script::Library scripts({std::filesystem::path(HARNESS_SOURCE_DIR) / "strategies"});
  const auto archive = store::open_archive(":memory:", ArchiveAccess::write);
  Admission admission;
  admission.kernel = "k";
  admission.hash = catalog.plugin("k").admission_hash();
  admission.device_key = "simulated";
  admission.passed = true;
  archive->ledger().record_admission(admission);
  archive->ledger().record_peaks(fleet.evaluator().device(), {.bytes_per_s = 4e12});
  BestsDisplay display;
  RunClock clock;
  CampaignOptions campaign_options;
  campaign_options.kernels = {"k"};
  campaign_options.budget_s = seconds;
  json environment = {{"devices", nodes}};
  CampaignPorts ports{catalog, scripts, fleet.evaluator(), archive->ledger(), display, clock, {}, environment};
  ports.fleet = &fleet;
  const double cpu_before = cpu_s(), begin = timeline.now();
  const CampaignSummary summary = Campaign(std::move(ports), campaign_options, std::nullopt).run();
  const double own = cpu_s() - cpu_before - simulated_s;
  const std::vector<IterationSummary> rows = archive->ledger().iterations(summary.campaign);
  const std::int64_t searched = std::ranges::count(rows, Purpose::search, &IterationSummary::purpose);
  const Used used = add_up_uses(nodes, begin, timeline.now());
  const Findings findings = read_off(rows, summary, course);
  json line{{"nodes", nodes},
            {"faults", course.faults},
            {"seconds", timeline.now() - begin},
            {"evaluations", searched},
            {"own_ms_per_evaluation", 1e3 * own / static_cast<double>(summary.iterations)},
            {"idle_share", used.idle / std::max(1e-9, used.held)},
            {"device_s",
             {{"held", used.held},
              {"search", used.search},
              {"other_evaluations", used.other_evaluations},
              {"incumbents_alone", used.incumbents_alone},
              {"calibrations", used.calibrations},
              {"idle", used.idle},
              {"idle_before", used.idle_before},
              {"idle_after", used.idle_after}}},
            {"bytes_per_evaluation", fleet.bytes() / static_cast<std::size_t>(summary.iterations)},
            {"outcomes", summary.outcomes},
            {"counted_twice", findings.twice},
            {"orphans", archive->ledger().orphans(summary.campaign).size()},
            {"starts", starts},
            {"worst_best_over_true_best", findings.regret},
            {"reason", summary.reason},
            {"message", summary.message},
            {"score", summary.score}};
  if (course.faults) {
    line["slow_card_bests_beside_its_share"] = display.beside_share(course.slow());
    line["slow_card_times_off"] = findings.slow_card_off;
  }
  line["calibrations"] = fleet.verdicts;
  line["calibration_s"] = fleet.seconds;
  line["said_of_cards"] = fleet.said;
  line["doubted"] = doubted(archive->history().figures(summary.campaign));
  fmt::print("{}\n", line.dump());
}

}  // namespace

int main(int argc, char** argv) {
  Course course;
  bool day = false;
  std::vector<double> numbers;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--faults") course.faults = true;
    else if (word == "--day") day = true;
    else numbers.push_back(std::stod(word));
  }
  if (day) {
    timeline.leaps = true;
    course = {.faults = true, .evaluation_s = 240, .death_every_s = 180, .beat_s = 20};
    course.nodes = numbers.empty() ? 64 : static_cast<int>(numbers[0]);
    course.drifts_from_s = 6 * 3600;
    course.drift_a_second = 0.01 / 3600;
    const double hours = numbers.size() < 2 ? 24 : numbers[1];
    run(course, hours * 3600, {.silence = 90, .again = 45, .evaluation = 1800, .grace = 30, .restarts = 1000},
        {.every_s = 1800});
    return 0;
  }
  if (numbers.empty()) numbers = {8, 10, 64, 15};
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) {
    course.nodes = static_cast<int>(numbers[i]);
    run(course, numbers[i + 1], {.silence = 10, .again = 5, .evaluation = 6, .grace = 1, .restarts = 1000},
        {.every_s = 4});
  }
  return 0;
}
