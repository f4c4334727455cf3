#include "harness/worker/processes/judge_process.h"

#include <fmt/format.h>

#include <limits>

#include "harness/core/error.h"
#include "harness/core/json_fields.h"

namespace harness {
namespace {
Error killed_again() {
  return environment_error(
      "several judges in a row were killed or stopped; is the machine out of memory, or does something end this "
      "program's "
      "processes?");
}

// The reference of a large workload on a small machine; beyond this the kernel's workload is not sensible here.
constexpr double kDeadline = 120;
}  // namespace

void JudgeProcess::start() {
  if (process_) return;
  process_ = Process::start({"judge"});
  process_->channel().send(target_);
}

json JudgeProcess::ask(json body, const Executable& executable, const Trusted& trusted, const DrawId& draw,
                       const SharedMemory* image) {
  body["executable"] = executable;
  body["trusted"] = trusted;
  body["draw"] = draw;
  // Again, if one was killed from outside: whatever it remembered, its successor draws anew.
  for (int attempt = 0; attempt < kWorkerTries; ++attempt)
    if (std::optional<json> reply = try_ask(body, image)) return std::move(*reply);
  throw killed_again();
}

std::optional<json> JudgeProcess::try_ask(const json& body, const SharedMemory* image) {
  start();
  Message reply;
  process_->channel().send(body, image != nullptr ? std::vector<int>{image->descriptor()} : std::vector<int>{});
  const Answer answer = process_->receive(reply, {.seconds = kDeadline}, stop_);
  if (answer == Answer::ok && !reply.body.contains("error")) return reply.body;
  if (answer == Answer::ok) refuse(body, reply.body);
  const ProcessEnd ended = answer == Answer::closed ? process_->wait() : ProcessEnd{};
  process_.reset();
  if (answer == Answer::interrupted) throw InterruptedWork{};
  if (answer == Answer::held || is_from_outside(ended)) return std::nullopt;
  const json& problem = body.at("executable").at("problem");
  const std::string kernel = problem.at("kernel");
  if (answer == Answer::timed_out)
    throw bad_input(fmt::format(
        "the reference of kernel '{}' needed a core for more than {} s on workload '{}'; use a smaller workload here",
        kernel, kDeadline, problem.at("workload").at("name").get<std::string>()));
  throw bad_input(fmt::format("the reference of kernel '{}' ended the judge ({} {}){}; mend reference.cu", kernel,
                              ended.signaled ? "signal" : "exit status", ended.code,
                              ended.output.empty() ? "" : ": " + ended.output));
}

void JudgeProcess::refuse(const json& body, const json& reply) {
  const std::string kernel = body.at("executable").at("problem").at("kernel"), error = reply.at("error");
  const bool environment = reply.value("environment", false);
  if (environment || reply.value("broken", false)) process_.reset();
  if (environment) throw environment_error(fmt::format("the judge cannot work: {}", error));
  throw bad_input(fmt::format("the judge could not judge kernel '{}': {}", kernel, error));
}

void JudgeProcess::paint(const Executable& executable, const Trusted& trusted, const DrawId& draw,
                         const SharedMemory& image) {
  ask({{"op", "paint"}}, executable, trusted, draw, &image);
}

Verdict JudgeProcess::verdict(const Executable& executable, const Trusted& trusted, const DrawId& draw,
                              const SharedMemory& image) {
  const json reply = ask({{"op", "verdict"}}, executable, trusted, draw, &image);
  reference_s_ += reply.at("reference_s").get<double>();
  return reply.at("verdict").get<Verdict>();
}

MeasuredErrors JudgeProcess::measure_errors(bool impostor, const Executable& executable, const Trusted& trusted,
                                            const DrawId& draw, const SharedMemory& image) {
  const json reply = ask({{"op", "errors"}, {"impostor", impostor}}, executable, trusted, draw, &image);
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

std::vector<MutantTrial> JudgeProcess::try_mutants(const Executable& executable, const Trusted& trusted,
                                                   const DrawId& draw) {
  return ask({{"op", "mutants"}}, executable, trusted, draw, nullptr).at("mutants").get<std::vector<MutantTrial>>();
}

ContractReview JudgeProcess::review(const Executable& executable, const Trusted& trusted, const DrawId& draw) {
  const json reply = ask({{"op", "contract"}}, executable, trusted, draw, nullptr);
  return {reply.at("problems").get<std::vector<std::string>>(),
          reply.at("constant").get<std::map<std::string, double>>(), ""};
}

void JudgeProcess::announce(const std::string& program) {
  start();
  tell({{"op", "announce"}, {"program", program}});
}

void JudgeProcess::forget() {
  if (process_) tell({{"op", "forget"}});
}

void JudgeProcess::tell(const json& body) {
  Message reply;
  process_->channel().send(body);
  if (process_->receive(reply, {.seconds = kDeadline}, stop_) != Answer::ok) process_.reset();
}

HARNESS_JSON(DrawId, seed, form, fresh, constants)
HARNESS_JSON(MutantTrial, name, output, caught_by, detail)
HARNESS_JSON(JudgeProcess::Trusted, reference, custom)

}  // namespace harness
