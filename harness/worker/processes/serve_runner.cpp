#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/torch_call.h"
#include "harness/device/port/run_clock.h"
#include "harness/device/port/torch_calls.h"
#include "harness/system/resource_limits.h"
#include "harness/system/rights.h"
#include "harness/worker/processes/loaded_process.h"
#include "harness/worker/processes/runner.h"

namespace harness {
namespace {

// What has been prepared: executables, with the images that each may be run on and places for what timed calls leave.
struct Prepared {
  std::vector<Executable> executables;
  std::vector<std::vector<SharedMemory>> images, places;
};

Prepared take(const Message& message, MappedMemory& mapped) {
  Prepared prepared;
  prepared.executables = message.body.at("executables").get<std::vector<Executable>>();
  std::size_t next = 0;
  for (std::size_t i = 0; i < prepared.executables.size(); ++i) {
    const auto take_next = [&](const char* what, std::vector<SharedMemory>& into) {
      const auto count = message.body.at(what).at(i).get<std::size_t>();
      for (std::size_t k = 0; k < count; ++k)
        into.push_back(
            mapped.map(message.descriptors.at(next++), static_cast<std::size_t>(prepared.executables[i].layout.bytes)));
    };
    take_next("images", prepared.images.emplace_back());
    take_next("places", prepared.places.emplace_back());
  }
  return prepared;
}

std::vector<ImageList> views_of(const std::vector<std::vector<SharedMemory>>& owned) {
  std::vector<ImageList> views;
  for (const auto& memories : owned) {
    ImageList& list = views.emplace_back();
    for (const SharedMemory& memory : memories) list.push_back(memory.bytes());
  }
  return views;
}

json time(Session& session, const Prepared& prepared, const TimingPolicy& policy) {
  return {
      {"samples", session.time(prepared.executables, views_of(prepared.images), views_of(prepared.places), policy)}};
}

NativeExecutables take_native(const Message& message) {
  NativeExecutables prepared;
  prepared.executables = message.body.at("executables").get<std::vector<Executable>>();
  std::size_t next = 0;
  for (std::size_t i = 0; i < prepared.executables.size(); ++i) {
    auto& images = prepared.images.emplace_back();
    const auto count = message.body.at("images").at(i).get<std::size_t>();
    for (std::size_t k = 0; k < count; ++k) images.emplace_back(message.descriptors.at(next++));
    const auto places = message.body.at("places").at(i).get<std::size_t>();  // none: nobody times native code in graphs
    for (std::size_t k = 0; k < places; ++k) const Descriptor unused(message.descriptors.at(next++));
    prepared.observed.push_back(message.body.at("observed").at(i).get<bool>());
  }
  return prepared;
}

const char* failure_of(NativeLaunch::End end) {
  using End = NativeLaunch::End;
  switch (end) {
    case End::refused:
      return "refused";
    case End::memory:
      return "memory";
    case End::unsupported:
      return "unsupported";
    case End::environment:
      return "environment";
    case End::died:
      return "died";
    case End::killed:
      return "killed";
    default:
      return "fault";
  }
}

json to_reply(const NativeLaunch& launch) {
  json reply = json::object();
  if (launch.end == NativeLaunch::End::done) reply["elapsed_ns"] = launch.elapsed_ns;
  else reply = {{"failure", failure_of(launch.end)}, {"detail", launch.detail}};
  if (launch.findings) reply["findings"] = *launch.findings;
  if (launch.counts) reply["counts"] = *launch.counts;
  return reply;
}

class RunnerService {
 public:
  RunnerService(const DeviceKinds& kinds, const Target& target)
      : target_(target), session_(find_kind(kinds, target.device).make_session(target)) {
    if (target_.native) cage_here();  // asked while nobody waits
  }

  json answer(const Message& message) {
    const std::string op = message.body.at("op");
    if (op == "prepare") return prepare(message);
    if (op == "time") return time(*session_, prepared_, message.body.at("policy").get<TimingPolicy>());
    if (op == "peaks") return {{"peaks", session_->measure_peaks()}};
    if (op == "calibrate") return {{"calibration", session_->calibrate()}};
    const auto contender = message.body.at("contender").get<std::size_t>();
    const auto image = message.body.at("image").get<std::size_t>();
    if (target_.native && torch_) return {{"elapsed_ns", run_torch(contender, image)}};
    if (target_.native) return to_reply(loaded_->launch(contender, image));
    const Executable& executable = prepared_.executables.at(contender);
    const auto bytes = prepared_.images.at(contender).at(image).bytes();
    if (message.body.at("walls").get<bool>()) session_->run_behind_walls(executable, bytes);
    else session_->run(executable, bytes);
    const auto* clock = dynamic_cast<const RunClock*>(session_.get());
    return {{"elapsed_ns", clock != nullptr ? clock->last_run_ns() : 0.0}};
  }

  /// Of the last run, also if it failed; null: it was not a checked one.
  json take_findings() {
    const auto findings = session_->take_findings();
    return findings ? json(*findings) : json();
  }

 private:
  json prepare(const Message& message) {
    prepared_ = {};
    loaded_.reset();
    if (!target_.native) {
      if (auto* const user = dynamic_cast<TorchUser*>(session_.get());
          user != nullptr && message.body.contains("torch"))
        user->use_torch(message.body.at("torch").get<TorchOffer>());
      prepared_ = take(message, mapped_);
      return json::object();
    }
    native_ = take_native(message);
    if (std::ranges::any_of(native_.executables, [](const Executable& each) { return calls_torch(each.plan); })) {
      if (!torch_) torch_ = std::make_unique<TorchCalls>(TorchCalls::kProcessor, target_.trust_source);
      if (message.body.contains("torch")) torch_->use(message.body.at("torch").get<TorchOffer>());
      return json::object();  // nothing is loaded: another process calls it
    }
    torch_.reset();
    const Cage cage = cage_here();
    if (!cage.whole() && !target_.trust_source) throw environment_error(not_caged(cage));
    loaded_.emplace(*session_, native_, cage);
    return json::object();
  }

  double run_torch(std::size_t contender, std::size_t image) {
    const Executable& executable = native_.executables.at(contender);
    const Descriptor& descriptor = native_.images.at(contender).at(image);
    const SharedMemory mapped(dup(descriptor.get()), static_cast<std::size_t>(executable.layout.bytes));
    return torch_->run(executable, mapped.bytes());
  }

  Target target_;
  std::unique_ptr<Session> session_;
  // Held, an image crosses at the speed of the bus. Device code that guesses its address can reach it, as it can reach
  // what lies in the device's memory: inputs and outputs of launches, its own and those before, on draws that nobody
  // uses again.
  MappedMemory mapped_{[this](std::span<std::byte> memory) { return session_->hold(memory); }};
  Prepared prepared_;
  NativeExecutables native_;
  std::optional<LoadedProcess> loaded_;
  std::unique_ptr<TorchCalls> torch_;  // where native executables call PyTorch
};

/// What device code prints comes out of this process: nobody wants it, and there may be much of it. Errors still do.
void drop_printed() {
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null < 0) return;
  dup2(null, STDOUT_FILENO);
  close(null);
}

json guarded(std::unique_ptr<RunnerService>& service, const DeviceKinds& kinds, const Target& target,
             const Message& message) {
  try {
    if (!service) service = std::make_unique<RunnerService>(kinds, target);
    return service->answer(message);
  } catch (const DeviceFault& fault) {
    return {{"failure", "fault"}, {"detail", fault.what()}};
  } catch (const LaunchRefused& refused) {
    return {{"failure", "refused"}, {"detail", refused.what()}};
  } catch (const DeviceMemoryExhausted& memory) {
    return {{"failure", "memory"}, {"detail", memory.what()}};
  } catch (const NotSupported& unsupported) {
    return {{"failure", "unsupported"}, {"detail", unsupported.what()}};
  } catch (const std::bad_alloc&) {
    return {{"failure", "memory"}, {"detail", "the host has no memory left for it"}};
  } catch (const std::exception& error) {
    return {{"failure", "environment"}, {"detail", error.what()}};
  }
}

}  // namespace

int serve_runner(const DeviceKinds& kinds) {
  signal(SIGXFSZ, SIG_IGN);
  Channel channel(3);
  Message message;
  if (channel.receive(message, -1) != Channel::Status::ok) return 0;
  const Target target = message.body.get<Target>();
  if (!target.native) drop_printed();
  if (target.beside) take_free_cores();
  std::unique_ptr<RunnerService> service;
  try {
    service = std::make_unique<RunnerService>(kinds, target);  // warm before the first request
  } catch (const std::exception&) {
    service.reset();  // the first request tries again and says why
  }
  while (channel.receive(message, -1) == Channel::Status::ok) {
    json reply = guarded(service, kinds, target, message);
    if (json findings = service ? service->take_findings() : json(); !findings.is_null())
      reply["findings"] = std::move(findings);
    if (!channel.send(reply)) break;
  }
  _exit(0);  // foreign code may have left anything for destructors to trip over
}

}  // namespace harness
