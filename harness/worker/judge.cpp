#include "harness/worker/judge.h"

#include <fmt/format.h>

#include "harness/core/error.h"

namespace harness {
namespace {
// The reference of a large workload on a small machine; beyond this the kernel's workload is not sensible here.
constexpr double kDeadline = 120;
}  // namespace

void Judge::start() {
  if (process_) return;
  process_ = Process::start({"judge"});
  process_->channel().send(target_);
}

json Judge::ask(const json& body, const SharedMemory& image) {
  start();
  Message reply;
  process_->channel().send(body, {image.descriptor()});
  const Channel::Status status = process_->channel().receive(reply, kDeadline, stop_);
  if (status == Channel::Status::ok && !reply.body.contains("error")) return reply.body;
  const std::string kernel = body.at("executable").at("problem").at("kernel");
  if (status == Channel::Status::ok) {
    const bool broken = reply.body.value("broken", false);
    if (broken) process_.reset();
    if (reply.body.value("environment", false)) {
      process_.reset();
      throw environment_error(fmt::format("the judge cannot work: {}", reply.body["error"].get<std::string>()));
    }
    throw bad_input(
        fmt::format("the judge could not judge kernel '{}': {}", kernel, reply.body["error"].get<std::string>()));
  }
  if (status == Channel::Status::closed) {
    const ProcessEnd end = process_->wait();
    process_.reset();
    throw bad_input(fmt::format("the reference of kernel '{}' ended the judge ({} {}){}; mend reference.cu", kernel,
                                end.signaled ? "signal" : "exit status", end.code,
                                end.output.empty() ? "" : ": " + end.output));
  }
  process_.reset();
  if (status == Channel::Status::interrupted) throw InterruptedWork{};
  throw bad_input(
      fmt::format("the reference of kernel '{}' ran longer than {} s on workload '{}'; use a smaller workload here",
                  kernel, kDeadline, body.at("executable").at("problem").at("workload").at("name").get<std::string>()));
}

void Judge::paint(const Executable& executable, const Trusted& trusted, std::uint64_t seed, bool keep,
                  const SharedMemory& image) {
  ask({{"op", "paint"}, {"executable", executable}, {"trusted", trusted}, {"seed", seed}, {"keep", keep}}, image);
}

Verdict Judge::verdict(const Executable& executable, const Trusted& trusted, std::uint64_t seed,
                       const SharedMemory& image) {
  return ask({{"op", "verdict"}, {"executable", executable}, {"trusted", trusted}, {"seed", seed}}, image)
      .at("verdict")
      .get<Verdict>();
}

}  // namespace harness
