#include "harness/worker/processes/runner.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstring>

#include "harness/core/torch_call.h"
#include "harness/device/port/torch_calls.h"

namespace harness {
namespace {

// What native code's process wrote last is not repeated: it could be anything.
std::string end_in_words(const ProcessEnd& end, bool native) {
  std::string words = end.signaled ? fmt::format("signal {} ({})", end.code, strsignal(end.code))
                                   : fmt::format("exit status {}", end.code);
  if (!native && !end.output.empty()) words += ": " + end.output.substr(0, 500);
  return words;
}

CrashKind kind_of_signal(const std::string& detail) {
  if (detail.starts_with(fmt::format("signal {} ", SIGSEGV)) || detail.starts_with(fmt::format("signal {} ", SIGBUS)))
    return CrashKind::illegal_access;
  if (detail.starts_with(fmt::format("signal {} ", SIGFPE)) || detail.starts_with(fmt::format("signal {} ", SIGILL)))
    return CrashKind::trap;
  return CrashKind::signal;
}

Crashed crashed_by_fault(const std::string& detail) {
  const auto colon = detail.find(": ");
  return {named_if<CrashKind>(detail.substr(0, colon)).value_or(CrashKind::unknown), detail};
}

std::optional<RunnerFailure> failure_in(const json& body) {
  using Kind = RunnerFailure::Kind;
  if (!body.contains("failure")) return std::nullopt;
  const std::string kind = body.value("failure", ""), detail = body.value("detail", "");
  if (kind == "refused") return RunnerFailure{Kind::refused, detail};
  if (kind == "memory") return RunnerFailure{Kind::memory, detail};
  if (kind == "unsupported") return RunnerFailure{Kind::unsupported, detail};
  if (kind == "environment") return RunnerFailure{Kind::environment, detail};
  if (kind == "died") return RunnerFailure{Kind::died, detail};
  if (kind == "killed") return RunnerFailure{Kind::outside, detail};
  return RunnerFailure{Kind::fault, detail};
}

}  // namespace

bool was_killed(const RunnerFailure& failure) {
  return failure.kind == RunnerFailure::Kind::outside;
}

bool is_its_own(const RunnerFailure& failure) {
  using Kind = RunnerFailure::Kind;
  return failure.kind == Kind::fault || failure.kind == Kind::died || failure.kind == Kind::timed_out;
}

Outcome to_outcome(const RunnerFailure& failure, const std::string& stage, double deadline_s) {
  switch (failure.kind) {
    case RunnerFailure::Kind::fault:
      return crashed_by_fault(failure.detail);
    case RunnerFailure::Kind::refused:
      return LaunchError{failure.detail};
    case RunnerFailure::Kind::memory:
      return OutOfMemory{failure.detail};
    case RunnerFailure::Kind::unsupported:
      return Unsupported{failure.detail};
    case RunnerFailure::Kind::died:
      return Crashed{kind_of_signal(failure.detail), "its process ended: " + failure.detail};
    case RunnerFailure::Kind::outside:
      return Crashed{CrashKind::killed, "its process ended: " + failure.detail};
    case RunnerFailure::Kind::timed_out:
      return TimedOut{deadline_s, stage};
    case RunnerFailure::Kind::interrupted:
      return Interrupted{};
    case RunnerFailure::Kind::environment:
      return Crashed{CrashKind::device_lost, failure.detail};
  }
  return Interrupted{};
}

Runner::Runner(Target target, std::function<bool()> stop) : target_(std::move(target)), stop_(std::move(stop)) {}
Runner::~Runner() = default;

void Runner::announce_torch() {
  if (!torch_) torch_ = std::make_unique<TorchProcess>(torch_caller(torch_device(target_), target_.trust_source));
  torch_->begin();
}

std::optional<RunnerFailure> Runner::offer_torch(json& body) {
  announce_torch();
  const PythonProcess* const ready = torch_->ready(stop_);
  if (ready == nullptr && stop_ && stop_()) return RunnerFailure{RunnerFailure::Kind::interrupted, ""};
  if (ready == nullptr)
    return RunnerFailure{RunnerFailure::Kind::unsupported,
                         no_torch_caller(torch_device(target_), target_.trust_source, torch_->why())};
  body["torch"] = TorchOffer{ready->address(), torch_->without_walls()};
  return std::nullopt;
}

void Runner::start() {
  if (process_) return;
  process_ = Process::start({"runner"});
  met_a_candidate_ = false;
  process_->channel().send(target_);
}

void Runner::renew() {
  if (met_a_candidate_) kill();
  start();
}

// A GPU's work passes no time on a core; there a process has the device to itself.
Patience Runner::patience(double deadline_s) const {
  return {.seconds = deadline_s, .of_core_time = target_.native};
}

// There will be no answer, and the process goes.
RunnerFailure Runner::ended(Answer answer) {
  using Kind = RunnerFailure::Kind;
  const ProcessEnd end = answer == Answer::closed ? process_->wait() : ProcessEnd{};
  process_.reset();
  if (torch_ && answer != Answer::closed) torch_->end();  // it may be at work for the one that is gone
  switch (answer) {
    case Answer::interrupted:
      return {Kind::interrupted, ""};
    case Answer::timed_out:
      return {Kind::timed_out, ""};
    case Answer::held:
      return {Kind::outside, "it was stopped (SIGSTOP), and nobody let it go on"};
    default:
      return {is_from_outside(end) ? Kind::outside : Kind::died, end_in_words(end, target_.native)};
  }
}

std::optional<RunnerFailure> Runner::ask(const json& body, const std::vector<int>& descriptors, double deadline_s,
                                         Message& reply) {
  start();
  if (!process_->channel().send(body, descriptors)) return ended(Answer::closed);
  const Answer answer = process_->receive(reply, patience(deadline_s), stop_);
  for (int descriptor : reply.descriptors) ::close(descriptor);  // none are expected
  if (answer == Answer::ok) {
    std::optional<RunnerFailure> failure;
    try {
      failure = failure_in(reply.body);
    } catch (const json::exception&) {
      failure = RunnerFailure{RunnerFailure::Kind::died, "it answered with something that is no answer"};
    }
    using Kind = RunnerFailure::Kind;
    if (failure && (failure->kind == Kind::fault || failure->kind == Kind::environment || failure->kind == Kind::died ||
                    failure->kind == Kind::outside))
      process_.reset();  // a sticky error: nothing later may be blamed for it
    return failure;
  }
  return ended(answer);
}

namespace {

/// Pages are touched for the first time, and pinned for a GPU: a busy virtual machine was seen to do half a gigabyte a
/// second. No candidate's code runs meanwhile.
double mapping_s(const std::vector<Contender>& contenders) {
  constexpr double kBytesPerSecond = 2.5e8;
  double bytes = 0;
  for (const Contender& contender : contenders) {
    if (contender.observed) continue;
    for (const SharedMemory* image : contender.images) bytes += static_cast<double>(image->bytes().size());
    for (const SharedMemory* place : contender.places) bytes += static_cast<double>(place->bytes().size());
  }
  return bytes / kBytesPerSecond;
}

}  // namespace

std::optional<RunnerFailure> Runner::prepare(const std::vector<Contender>& contenders, double deadline_s) {
  json body{{"op", "prepare"},
            {"executables", json::array()},
            {"images", json::array()},
            {"places", json::array()},
            {"observed", json::array()}};
  std::vector<int> descriptors;
  for (const Contender& contender : contenders) {
    body["executables"].push_back(*contender.executable);
    body["images"].push_back(contender.images.size());
    body["places"].push_back(contender.places.size());
    body["observed"].push_back(contender.observed);
    for (const SharedMemory* image : contender.images) descriptors.push_back(image->descriptor());
    for (const SharedMemory* place : contender.places) descriptors.push_back(place->descriptor());
  }
  if (std::ranges::any_of(contenders, [](const Contender& each) { return calls_torch(each.executable->plan); }))
    if (auto failure = offer_torch(body)) return failure;
  Message reply;
  deadline_s += mapping_s(contenders);
  auto failure = ask(body, descriptors, deadline_s, reply);
  // Nothing a candidate may do kills with SIGKILL, and nothing has been run yet: not blamed the first time.
  if (failure && was_killed(*failure)) failure = ask(body, descriptors, deadline_s, reply);
  met_a_candidate_ = true;
  return failure;
}

std::optional<RunnerFailure> Runner::run(std::size_t contender, std::size_t image, double deadline_s,
                                         std::optional<std::vector<RawFinding>>* findings, double* elapsed_ns,
                                         Inputs inputs) {
  Message reply;
  auto failure =
      ask({{"op", "run"}, {"contender", contender}, {"image", image}, {"walls", inputs == Inputs::behind_walls}}, {},
          deadline_s, reply);
  if (elapsed_ns && !failure) *elapsed_ns = reply.body.value("elapsed_ns", 0.0);
  if (!findings) return failure;
  try {
    if (reply.body.contains("findings")) *findings = reply.body.at("findings").get<std::vector<RawFinding>>();
  } catch (const json::exception&) {
    failure = no_answer();
  }
  return failure;
}

/// A process that ran a candidate may write anything on its channel.
RunnerFailure Runner::no_answer() {
  process_.reset();
  return {RunnerFailure::Kind::died, "it answered with something that is no answer"};
}

template <typename T>
std::optional<RunnerFailure> Runner::ask_for(const json& body, double deadline_s, const char* key, T& answer) {
  Message reply;
  auto failure = ask(body, {}, deadline_s, reply);
  if (failure) return failure;
  try {
    answer = reply.body.at(key).get<T>();
  } catch (const json::exception&) {
    return no_answer();
  }
  return std::nullopt;
}

std::optional<RunnerFailure> Runner::count(std::size_t contender, std::size_t image, double deadline_s,
                                           std::vector<CountedLaunch>& counts) {
  return ask_for({{"op", "run"}, {"contender", contender}, {"image", image}, {"walls", true}}, deadline_s, "counts",
                 counts);
}

std::optional<RunnerFailure> Runner::time(const TimingPolicy& policy, double deadline_s,
                                          std::vector<Samples>& samples) {
  return ask_for({{"op", "time"}, {"policy", policy}}, deadline_s, "samples", samples);
}

std::optional<RunnerFailure> Runner::measure_peaks(double deadline_s, MeasuredPeaks& peaks) {
  return ask_for({{"op", "peaks"}}, deadline_s, "peaks", peaks);
}

std::optional<RunnerFailure> Runner::calibrate(double deadline_s, CardCalibration& calibration) {
  return ask_for({{"op", "calibrate"}}, deadline_s, "calibration", calibration);
}

}  // namespace harness
