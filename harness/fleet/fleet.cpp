#include "harness/fleet/fleet.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>

#include "harness/core/error.h"
#include "harness/core/gpu.h"
#include "harness/fleet/wire.h"

namespace harness::fleet {
namespace {

constexpr double kLookS = 0.05;
constexpr double kCalibrationS = 120;

/// "580.65.06" -> "580"
std::string major_of(const std::string& release) {
  return release.substr(0, release.find('.'));
}

/// Whether a device is meant by one of "cuda:1", "cuda:*", "*"; by none: all are.
bool is_wanted(const std::vector<std::string>& devices, const std::string& device) {
  return devices.empty() || std::ranges::any_of(devices, [&](const std::string& word) {
           return word == "*" || word == device ||
                  (word.ends_with(":*") && word.substr(0, word.size() - 2) == device_kind(device));
         });
}

/// Processors have no name of their own: a machine's, and the node's, which is one of several there.
std::string card_name(const std::string& name, bool has_own, const std::string& node) {
  return has_own ? name : name + "/" + node;
}
std::string card_name(const json& device, const std::string& node) {
  return card_name(device.at("uuid"), !device.at("info").value("uuid", "").empty(), node);
}

/// A node knows its devices, and not what the campaign makes of their times.
std::string name_at_its_node(const DeviceInfo& info) {
  return info.predicts.empty() ? info.device : device_kind(info.device);
}

/// Each decision has a Lua state of its own. With many devices they follow each other so closely that giving its memory
/// back to the system and taking it again, page by page, was a third of what the orchestrator took.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  mallopt(M_TOP_PAD, 16 << 20);
}

Error refused(const std::string& node, const json& error) {
  const std::string sentence = fmt::format("node {}: {}", node, error.at("message").get<std::string>());
  return error.at("kind") == "bad_input" ? bad_input(sentence) : environment_error(sentence);
}

/// What could not be evaluated. Of a proposed variant the manifest is a stranger's; what a node lacks is the node's
/// end.
Outcome outcome_of(const json& error, const std::string& node, bool proposed) {
  const auto message = error.at("message").get<std::string>();
  if (error.at("kind") != "bad_input") return Lost{node, message};
  if (proposed) return Rejected{"manifest", message};
  throw refused(node, error);
}

}  // namespace

void wait_for_input(std::vector<pollfd>& ends, double patience_s) {
  poll(ends.data(), ends.size(), static_cast<int>(patience_s * 1000));
}

/// The first node that lives, for what is done once.
class NodeFleet::Lead : public Evaluator {
 public:
  explicit Lead(NodeFleet& fleet) : fleet_(fleet) {}
  DeviceInfo device() override { return fleet_.anchor_; }
  std::optional<DeviceInfo> preflight_device() override { return std::nullopt; }
  double take_prepare_seconds() override { return std::exchange(fleet_.prepare_s_, 0); }

  // A child of this machine shares its build cache with the others: one of them compiles. Elsewhere every node does.
  void prepare(std::span<const Realized> candidates) override {
    json children = json::array();
    for (const Realized& candidate : candidates) children.push_back(name_of(candidate));
    if (children.empty()) return;
    bool built_here = false;
    for (std::size_t i = 0; i < fleet_.seats_.size(); ++i) {
      const std::size_t seat = (fleet_.next_builder_ + i) % fleet_.seats_.size();
      if (!fleet_.devices_[seat].alive || !fleet_.seats_[seat]->idle()) continue;
      if (fleet_.seats_[seat]->spec().is_child && std::exchange(built_here, true)) continue;
      fleet_.seats_[seat]->push({.message = {{"call", "prepare"}, {"candidates", children}}});
    }
    ++fleet_.next_builder_;
  }

  Evaluation evaluate(const EvaluationRequest& request) override {
    fleet_.begin(fleet_.leading(), -1, request);
    for (;;)
      if (auto answer = fleet_.next(kLookS)) return std::move(answer->evaluation);
  }

  std::optional<Admission> admit(const AdmissionRequest& request) override {
    Call call;
    call.message = {{"call", "admit"}, {"kernel", request.kernel}, {"elsewhere", request.elsewhere}};
    call.question = [&request](const json& question) -> json {
      const auto part = question.at("part").get<std::string>();
      if (question.at("ask") == "known") {
        const auto recorded = request.known ? request.known(part) : std::nullopt;
        return recorded ? *recorded : json();
      }
      if (request.keep) request.keep(part, question.at("found"));
      return true;
    };
    const json answer = fleet_.wait_for(*fleet_.seats_[fleet_.leading()], std::move(call));
    if (answer.is_null()) return std::nullopt;
    auto admission = answer.at("admission").get<Admission>();
    for (const auto& [part, found] : answer.at("parts").items()) admission.parts[part] = found;
    return admission;
  }

  MeasuredPeaks measure_peaks() override {
    return fleet_.wait_for(*fleet_.seats_[fleet_.leading()], {.message = {{"call", "measure_peaks"}}})
        .get<MeasuredPeaks>();
  }

  void use_peaks(const MeasuredPeaks& peaks) override {
    fleet_.known_.peaks = peaks;
    fleet_.push_to_all({{"call", "peaks"}, {"peaks", fleet_.known_.peaks}});
  }

 private:
  NodeFleet& fleet_;
};

NodeFleet::NodeFleet(FleetOptions options) : options_(std::move(options)), lead_(std::make_unique<Lead>(*this)) {
  keep_freed_memory();
  for (const NodeSpec& spec : options_.nodes)
    for (int i = 0; i < spec.count; ++i) {
      NodeSpec own = spec;
      if (spec.count > 1) own.name = fmt::format("{}-{}", spec.name, i + 1);
      add_seat(own, json());
    }
  gather();
  refuse_unlike();
  gathered_ = true;
  if (std::ranges::none_of(devices_, &FleetDevice::alive))
    throw environment_error(
        fmt::format("no node of the fleet can be used: {}", devices_.empty() ? "it has none" : devices_.front().why));
  if (const std::string late = coming_nodes(); !late.empty())
    tell(fmt::format("the fleet begins with {} of {} devices; these join when they come: {}",
                     std::ranges::count_if(devices_, &FleetDevice::alive), devices_.size(), late));
}

NodeFleet::~NodeFleet() {
  for (const auto& seat : seats_) seat->leave();
}

void NodeFleet::tell(const std::string& sentence) const {
  if (options_.tell) options_.tell(sentence);
}

/// `device`: which one it has at its node; null: the first that its hello names and the fleet file wants.
void NodeFleet::add_seat(const NodeSpec& spec, const json& device) {
  FleetDevice card;
  card.node = spec.name;
  card.usd_per_hour = spec.usd_per_hour;
  card.alive = false;
  card.coming = true;
  devices_.push_back(std::move(card));
  joining_.push_back({.device = device});
  watches_.emplace_back(options_.cards, true, nullptr);
  seats_.push_back(std::make_unique<Seat>(spec, options_.start, options_.patience, now()));
}

/// Waits for those that are begun with. Nobody knows how long a queue is: it is said once that it is waited for.
void NodeFleet::gather() {
  constexpr double kSilentS = 3;
  const double begun = now();
  std::optional<double> first;
  bool announced = false;
  while (std::ranges::any_of(devices_, &FleetDevice::coming) && !gathered_enough(first)) {
    if (options_.stop && options_.stop()) throw environment_error("stopped before a node of the fleet was there");
    tick(kLookS);
    if (!first && std::ranges::any_of(devices_, &FleetDevice::alive)) first = now();
    if (first || announced || now() - begun < kSilentS) continue;
    tell(fmt::format("waiting for the first node of the fleet; nothing of it is charged: {}", coming_nodes()));
    announced = true;
  }
  for (std::size_t i = 0; i < seats_.size(); ++i) devices_[i].waited_s = seats_[i]->waited_s();
}

bool NodeFleet::gathered_enough(const std::optional<double>& first_s) const {
  if (!first_s || options_.wait_for_all) return false;
  for (std::size_t i = 0; i < seats_.size(); ++i)
    if (devices_[i].coming && seats_[i]->spec().is_child) return false;  // no queue lies in between
  return now() - *first_s >= options_.patience.together;
}

/// "gpu2 (600 s at most), gpu3 (60 s at most)"; "" where nobody is waited for.
std::string NodeFleet::coming_nodes() const {
  std::vector<std::string> nodes;
  for (std::size_t i = 0; i < seats_.size(); ++i)
    if (devices_[i].coming)
      nodes.push_back(fmt::format("{} ({:.0f} s at most)", devices_[i].node, seats_[i]->spec().wait_s));
  return fmt::format("{}", fmt::join(nodes, ", "));
}

std::vector<json> NodeFleet::wanted_devices(std::size_t seat) const {
  if (!joining_[seat].device.is_null()) return {joining_[seat].device};
  std::vector<json> devices;
  for (const json& device : seats_[seat]->hello().at("devices"))
    if (is_wanted(seats_[seat]->spec().devices, device.at("info").at("device"))) devices.push_back(device);
  return devices;
}

/// A node's first hello: it takes the first device that is wanted of it, and each other one gets a node of its own.
void NodeFleet::welcome(std::size_t seat) {
  joining_[seat].welcomed = true;
  const json& hello = seats_[seat]->hello();
  if (hello.value("hello", 0) != kProtocol || hello.value("build", "") != options_.build)
    return leave_out(
        seat, fmt::format("it runs {} (protocol {}), and this is {} (protocol {}): install the same program there",
                          hello.value("build", "?"), hello.value("hello", 0), options_.build, kProtocol));
  const std::vector<json> devices = wanted_devices(seat);
  if (devices.empty()) return leave_out(seat, "it has none of the devices that the fleet file names");
  identify(seat, devices.front());
  for (std::size_t i = 1; i < devices.size(); ++i) {
    NodeSpec another = seats_[seat]->spec();
    another.name = fmt::format("{}/{}", another.name, i + 1);
    add_seat(another, devices[i]);
  }
  if (!gathered_) {
    devices_[seat].coming = false;
    devices_[seat].alive = true;
    return;
  }
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (i == seat || !devices_[i].alive) continue;
    if (const std::string why = unlikeness(seat, i); !why.empty()) return leave_out(seat, why);
  }
  if (prepared_) introduce(seat);
}

void NodeFleet::identify(std::size_t seat, const json& device) {
  FleetDevice& card = devices_[seat];
  card.info = device.at("info").get<DeviceInfo>();
  if (card.info.emulation && !options_.predicts.empty()) card.info = predicting(card.info, find_gpu(options_.predicts));
  const json& release = seats_[seat]->hello().at("driver_release");
  card.driver_release = release.is_string() ? release.get<std::string>() : "";
  card.info.admission_key = device.at("admission_key");
  card.uuid = card_name(device, card.node);
  const bool emulated = card.info.emulation;
  watches_[seat] = CardWatch(options_.cards, emulated, [this, emulated, seat](const std::string& method) {
    const bool has_first = options_.first_calibration && !emulated;
    return has_first ? options_.first_calibration(devices_[seat], method) : std::nullopt;
  });
}

/// Cards of another model or driver are other devices, with results of their own; one card is no two devices.
void NodeFleet::refuse_unlike() {
  const auto anchor = std::ranges::find_if(devices_, &FleetDevice::alive);
  if (anchor == devices_.end()) return;
  anchor_ = anchor->info;
  const auto first = static_cast<std::size_t>(anchor - devices_.begin());
  for (std::size_t i = first + 1; i < devices_.size(); ++i)
    for (std::size_t j = first; j < i && devices_[i].alive; ++j)
      if (devices_[j].alive)
        if (const std::string why = unlikeness(i, j); !why.empty()) leave_out(i, why);
}

/// Why a device cannot stand beside another one; "" where it can.
std::string NodeFleet::unlikeness(std::size_t seat, std::size_t anchor) const {
  const FleetDevice &device = devices_[seat], &other = devices_[anchor];
  if (device.info.name != other.info.name)
    return fmt::format("it is a {}, and {} is a {}: their times are not compared", device.info.name, other.node,
                       other.info.name);
  if (device.info.driver != other.info.driver || major_of(device.driver_release) != major_of(other.driver_release))
    return fmt::format("its driver is {} {}, and that of {} is {} {}", device.driver_release, device.info.driver,
                       other.node, other.driver_release, other.info.driver);
  if (!device.info.emulation && device.uuid == other.uuid)
    return fmt::format("it is the same card as {} ({})", other.node, device.uuid);
  return "";
}

void NodeFleet::prepare_for(Catalog& catalog, const std::vector<std::string>& kernels) {
  for (const std::string& kernel : kernels) known_.use_kernels[kernel] = plugins_hash(catalog, kernel);
  prepared_ = true;
  struct Progress {  // the calls keep it: they may outlive this one, where waiting for them ends with an error
    std::size_t open = 0;
    std::string first_why;
  };
  const auto progress = std::make_shared<Progress>();
  std::vector<std::size_t> preparing;
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    if (devices_[i].coming && joining_[i].welcomed) introduce(i);
    if (!devices_[i].alive) continue;
    preparing.push_back(i);
    ++progress->open;
    const auto fail = [this, i, progress](const std::string& why) {
      if (progress->first_why.empty()) progress->first_why = fmt::format("node {}: {}", devices_[i].node, why);
    };
    Call use = use_call(i);
    use.answered = [this, i, progress, fail](const json& answer) {
      --progress->open;
      if (!answer.contains("error")) return;
      fail(answer.at("error").at("message"));
      end_device(i, answer.at("error").at("message"));
      tell(fmt::format("node {} is left out: {}", devices_[i].node, devices_[i].why));
    };
    use.lost = [this, i, progress, fail](const std::string& why, bool) {
      --progress->open;
      fail(why);
      end_device(i, why);
    };
    seats_[i]->push(std::move(use));
    seats_[i]->on_restart = [this, i](Seat&) { equip(i); };
  }
  while (progress->open > 0) tick(kLookS);
  if (std::ranges::none_of(devices_, &FleetDevice::alive))
    throw bad_input("no node of the fleet can be used: " + progress->first_why);
  for (const std::size_t i : preparing)
    if (devices_[i].alive) calibrate(i, false);
  const auto calibrating = [this](std::size_t i) { return seats_[i]->alive() && !seats_[i]->idle(); };
  while (std::ranges::any_of(preparing, calibrating)) {
    if (options_.stop && options_.stop()) throw environment_error("stopped while the cards were calibrated");
    tick(kLookS);
  }
}

/// One that comes late is told what the others know, and joins when its card is calibrated. It is not started again
/// where that fails.
void NodeFleet::introduce(std::size_t seat) {
  joining_[seat].introduced = true;
  const auto lost = [this, seat](const std::string& why, bool) { leave_out(seat, why); };
  Call use = use_call(seat);
  use.answered = [this, seat](const json& answer) {
    if (answer.contains("error")) leave_out(seat, answer.at("error").at("message"));
  };
  use.lost = lost;
  seats_[seat]->push(std::move(use));
  if (!known_.peaks.is_null()) seats_[seat]->push({.message = {{"call", "peaks"}, {"peaks", known_.peaks}}});
  for (const auto& [kernel, admission] : known_.admissions)
    seats_[seat]->push({.message = {{"call", "admission"}, {"admission", admission}}});
  Call calibration{.message = {{"call", "calibrate"}}};
  calibration.deadline_s = kCalibrationS;
  calibration.answered = [this, seat](const json& answer) {
    calibrated(seat, answer);
    if (devices_[seat].coming) join(seat);
  };
  calibration.lost = lost;
  seats_[seat]->push(std::move(calibration));
}

void NodeFleet::join(std::size_t seat) {
  FleetDevice& card = devices_[seat];
  card.coming = false;
  card.alive = true;
  card.waited_s = seats_[seat]->waited_s();
  seats_[seat]->on_restart = [this, seat](Seat&) { equip(seat); };
  tell(fmt::format("node {} joins, after {:.0f} s", card.node, card.waited_s));
}

void NodeFleet::end_device(std::size_t device, const std::string& why) {
  devices_[device].alive = false;
  devices_[device].coming = false;
  devices_[device].why = why;
}

void NodeFleet::leave_out(std::size_t seat, const std::string& why) {
  if (!devices_[seat].alive && !devices_[seat].coming) return;  // said already
  end_device(seat, why);
  tell(fmt::format("node {} is left out: {}", devices_[seat].node, why));
  seats_[seat]->retire(why);
}

/// Behind what its node is asked already, or before.
void NodeFleet::calibrate(std::size_t device, bool at_once) {
  Call call{.message = {{"call", "calibrate"}}};
  call.deadline_s = kCalibrationS;
  call.answered = [this, device](const json& answer) { calibrated(device, answer); };
  if (at_once) seats_[device]->push_front(std::move(call));
  else seats_[device]->push(std::move(call));
}

void NodeFleet::calibrated(std::size_t device, const json& answer) {
  CardWatch& watch = watches_[device];
  FleetDevice& card = devices_[device];
  if (const std::string lie = lie_in(answer, device, {}); !lie.empty()) return set_aside(device, lie);
  std::optional<CardCheck> check;
  if (answer.contains("error")) {
    check = watch.fail(answer.at("error").at("message"), 0, now());
  } else {
    const json& result = answer.at("answer");
    check = watch.take(result.at("calibration").get<CardCalibration>(), result.at("seconds"), now());
    if (!check && watch.is_due(now())) return calibrate(device, true);  // one alone is not believed
  }
  if (!check) return;
  check->node = card.node;
  check->device_uuid = card.uuid;
  check->device_name = card.info.name;
  check->driver_release = card.driver_release;
  checks_.push_back(*check);
  if (check->verdict == CardVerdict::suspect)
    tell(fmt::format("the card of node {} is suspect: {}", card.node, check->why));
  if (check->verdict == CardVerdict::quarantined)
    set_aside(device, fmt::format("its card is quarantined, suspect for the second time: {}", check->why));
}

/// It gets no more work; what it was asked to do is lost, by no fault of the candidate's.
void NodeFleet::set_aside(std::size_t device, const std::string& why) {
  end_device(device, why);
  tell(fmt::format("node {} is set aside: {}", devices_[device].node, why));
  seats_[device]->retire(why);
}

/// "" where a node's answer is of the card that it was given, and of the candidate that it was asked for.
std::string NodeFleet::lie_in(const json& answer, std::size_t device, const std::vector<std::string>& hashes) const {
  const FleetDevice& card = devices_[device];
  const auto uuid = answer.value("uuid", "");
  if (!uuid.empty() && card_name(uuid, !card.info.uuid.empty(), card.node) != card.uuid)
    return fmt::format("it answers for the card {}, and was given {}", uuid, card.uuid);
  if (hashes.empty() || !answer.contains("answer")) return "";
  const json& evaluation = answer.at("answer").at("evaluation");
  const char* names[] = {"contract_hash", "source_hash"};
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const auto hash = evaluation.at(names[i]).get<std::string>();
    if (!hash.empty() && hash != hashes[i]) return fmt::format("it evaluated something else: another {}", names[i]);
  }
  return "";
}

Call NodeFleet::use_call(std::size_t seat) {
  const DeviceInfo& info = devices_[seat].info;
  return {.message = {{"call", "use"},
                      {"device", name_at_its_node(info)},
                      {"predicts", info.predicts},
                      {"kernels", known_.use_kernels}}};
}

/// A node that was started again must be the same card, and is told what it knew.
void NodeFleet::equip(std::size_t seat) {
  const json& hello = seats_[seat]->hello();
  const bool same = std::ranges::any_of(hello.at("devices"), [&](const json& device) {
    return device.at("info").at("device") == name_at_its_node(devices_[seat].info) &&
           card_name(device, devices_[seat].node) == devices_[seat].uuid;
  });
  if (!same || hello.value("build", "") != options_.build) {
    seats_[seat]->retire("after it was started again it is another card or another program");
    return;
  }
  for (const auto& [kernel, admission] : known_.admissions)
    seats_[seat]->push_front({.message = {{"call", "admission"}, {"admission", admission}}});
  if (!known_.peaks.is_null()) seats_[seat]->push_front({.message = {{"call", "peaks"}, {"peaks", known_.peaks}}});
  seats_[seat]->push_front(use_call(seat));
  watches_[seat].join();
  tell(fmt::format("node {} is back", devices_[seat].node));
}

const std::vector<FleetDevice>& NodeFleet::devices() {
  return devices_;
}

std::size_t NodeFleet::leading() const {
  for (std::size_t i = 0; i < devices_.size(); ++i)
    if (devices_[i].alive) return i;
  throw environment_error("no node of the fleet is left");
}

void NodeFleet::begin(std::size_t device, std::int64_t ticket, EvaluationRequest request) {
  const std::string kernel = request.realized.candidate.kernel;
  if (request.admission != nullptr && !known_.admissions.contains(kernel)) admit_everywhere(kernel, *request.admission);
  if (watches_[device].is_due(now())) calibrate(device, false);
  Call call;
  call.deadline_s = options_.patience.evaluation;
  call.shows_it_can_work = true;
  call.message = {{"call", "evaluate"}, {"deadline_s", call.deadline_s}, {"request", to_wire(request)}};
  if (request.recorded_with)
    call.question = [recorded = request.recorded_with](const json& question) -> json {
      return recorded(question.at("hash").get<std::string>());
    };
  call.answered =
      [this, device, ticket, source = request.realized.build.source, proposed = !request.made.empty(),
       hashes = std::vector{request.realized.problem.contract_hash, request.realized.source_hash}](const json& answer) {
        FleetAnswer ended{ticket, {}};
        if (const std::string lie = lie_in(answer, device, hashes); !lie.empty()) {
          ended.evaluation.outcome = Lost{"", lie};
          ended_.push_back(std::move(ended));
          return set_aside(device, lie);
        }
        if (answer.contains("error")) {
          ended.evaluation.outcome = outcome_of(answer.at("error"), devices_[device].node, proposed);
          ended_.push_back(std::move(ended));
          return;
        }
        const json& result = answer.at("answer");
        ended.evaluation = evaluation_from(result.at("evaluation"), source);
        prepare_s_ += result.at("prepare_s").get<double>();
        if (devices_[device].usd_per_hour)
          ended.evaluation.cost.usd = *devices_[device].usd_per_hour * ended.evaluation.cost.wall_s / 3600;
        if (const auto* crashed = std::get_if<Crashed>(&ended.evaluation.outcome);
            crashed != nullptr && crashed->kind == CrashKind::device_lost)
          ended.evaluation.outcome = Lost{devices_[device].node, crashed->detail};
        if (std::holds_alternative<Interrupted>(ended.evaluation.outcome) && !cancelled_)  // preempted, say
          ended.evaluation.outcome = Lost{devices_[device].node, "it was told to stop"};
        ended_.push_back(std::move(ended));
      };
  call.lost = [this, device, ticket, begun_at = now()](const std::string& why, bool begun) {
    FleetAnswer ended{ticket, {}};
    ended.evaluation.outcome = Lost{begun ? devices_[device].node : "", why};
    ended.evaluation.cost.wall_s = now() - begun_at;
    ended_.push_back(std::move(ended));
    tell(fmt::format("node {} is lost: {}", devices_[device].node, why));
  };
  seats_[device]->push(std::move(call));
}

void NodeFleet::admit_everywhere(const std::string& kernel, const json& admission) {
  known_.admissions[kernel] = admission;
  push_to_all({{"call", "admission"}, {"admission", admission}});
}

/// To those who work, and to those who were told already what was known until now.
void NodeFleet::push_to_all(const json& message) {
  for (std::size_t i = 0; i < seats_.size(); ++i)
    if (devices_[i].alive || (devices_[i].coming && joining_[i].introduced)) seats_[i]->push({.message = message});
}

/// Listens to all for a moment. Those that say nothing are looked at now and then, for what they did not say.
void NodeFleet::tick(double patience_s) {
  ends_.clear();
  bool unsent = false;
  for (const auto& seat : seats_) {
    ends_.push_back({seat->descriptor(), POLLIN, 0});
    unsent = unsent || seat->has_unsent();
  }
  options_.wait(ends_, unsent ? 0 : patience_s);
  const double time = now();
  const bool all = time >= look_at_all_;
  if (all) look_at_all_ = time + kLookS;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    if (!all && ends_[i].revents == 0 && !seats_[i]->has_unsent()) continue;
    seats_[i]->tick(time, ends_[i].revents != 0);
    if (devices_[i].coming && seats_[i]->greeted() && !joining_[i].welcomed) welcome(i);
    if (seats_[i]->alive() || (!devices_[i].alive && !devices_[i].coming)) continue;
    const bool came = joining_[i].welcomed;
    end_device(i, seats_[i]->why());
    tell(fmt::format("node {} {}: {}", devices_[i].node, came ? "is given up" : "never came", devices_[i].why));
  }
}

std::optional<FleetAnswer> NodeFleet::next(double patience_s) {
  const double until = now() + patience_s;
  for (;;) {
    if (!ended_.empty()) {
      FleetAnswer first = std::move(ended_.front());
      ended_.erase(ended_.begin());
      return first;
    }
    const double left = until - now();
    if (left <= 0) return std::nullopt;
    tick(std::min(left, kLookS));
  }
}

void NodeFleet::cancel() {
  cancelled_ = true;
  for (const auto& seat : seats_) seat->cancel();
}

json NodeFleet::wait_for(Seat& seat, Call call) {
  struct Waiting {  // the call keeps it: where an error ends the waiting, an answer may still come
    std::optional<json> answer;
    std::string lost;
    std::function<json(const json&)> question;  // of whoever waits; nobody answers it after them
  };
  const auto waiting = std::make_shared<Waiting>();
  waiting->question = std::move(call.question);
  call.question = [waiting](const json& question) { return waiting->question ? waiting->question(question) : json(); };
  call.answered = [waiting](const json& result) { waiting->answer = result; };
  call.lost = [waiting](const std::string& why, bool) { waiting->lost = why; };
  struct Leaving {
    Waiting& waiting;
    ~Leaving() { waiting.question = nullptr; }
  } leaving{*waiting};
  seat.push(std::move(call));
  bool announced = false;
  while (!waiting->answer) {
    if (!waiting->lost.empty())
      throw environment_error(fmt::format("node {} was lost: {}", seat.name(), waiting->lost));
    if (options_.stop && options_.stop() && !announced) {
      seat.cancel();
      announced = true;
    }
    tick(kLookS);
  }
  if (waiting->answer->contains("error")) throw refused(seat.name(), waiting->answer->at("error"));
  return waiting->answer->at("answer");
}

Evaluator& NodeFleet::evaluator() {
  return *lead_;
}

std::size_t NodeFleet::bytes() const {
  std::size_t sum = 0;
  for (const auto& seat : seats_) sum += seat->bytes_sent() + seat->bytes_received();
  return sum;
}

}  // namespace harness::fleet
