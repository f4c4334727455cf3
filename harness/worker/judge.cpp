#include "harness/worker/judge.h"

#include <fmt/format.h>

#include <limits>

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

json Judge::ask(json body, const Executable& executable, const Trusted& trusted, const DrawId& draw,
                const SharedMemory* image) {
  start();
  body["executable"] = executable;
  body["trusted"] = trusted;
  body["draw"] = draw;
  Message reply;
  process_->channel().send(body, image != nullptr ? std::vector<int>{image->descriptor()} : std::vector<int>{});
  const Channel::Status status = process_->channel().receive(reply, kDeadline, stop_);
  if (status == Channel::Status::ok && !reply.body.contains("error")) return reply.body;
  const std::string kernel = executable.problem.kernel;
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
                  kernel, kDeadline, executable.problem.workload.name));
}

void Judge::paint(const Executable& executable, const Trusted& trusted, const DrawId& draw, const SharedMemory& image) {
  ask({{"op", "paint"}}, executable, trusted, draw, &image);
}

Verdict Judge::verdict(const Executable& executable, const Trusted& trusted, const DrawId& draw,
                       const SharedMemory& image, std::uint64_t rotation) {
  return ask({{"op", "verdict"}, {"rotation", rotation}}, executable, trusted, draw, &image)
      .at("verdict")
      .get<Verdict>();
}

MeasuredErrors Judge::measure_errors(const Executable& executable, const Trusted& trusted, const DrawId& draw,
                                     const SharedMemory& image) {
  const json reply = ask({{"op", "errors"}}, executable, trusted, draw, &image);
  MeasuredErrors errors;
  // JSON has no infinity: an output that disagrees in finiteness is null there.
  const auto read = [&](const char* key, std::map<std::string, double>& into) {
    for (const auto& [output, error] : reply.at(key).items())
      into[output] = error.is_null() ? std::numeric_limits<double>::infinity() : error.get<double>();
  };
  read("honest", errors.honest);
  read("impostor", errors.impostor);
  return errors;
}

std::vector<MutantTrial> Judge::try_mutants(const Executable& executable, const Trusted& trusted, const DrawId& draw) {
  return ask({{"op", "mutants"}}, executable, trusted, draw, nullptr).at("mutants").get<std::vector<MutantTrial>>();
}

void Judge::forget() {
  if (!process_) return;
  Message reply;
  process_->channel().send({{"op", "forget"}});
  if (process_->channel().receive(reply, kDeadline, stop_) != Channel::Status::ok) process_.reset();
}

}  // namespace harness
