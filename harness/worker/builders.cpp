#include "harness/worker/builders.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/worker/process.h"

namespace harness {

Builders::Builders(Target target, int processes, double deadline_s)
    : target_(std::move(target)), deadline_s_(deadline_s) {
  for (int i = 0; i < processes; ++i) threads_.emplace_back([this] { serve(); });
}

Builders::~Builders() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    queue_.clear();
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Builders::Result Builders::submit(const BuildSpec& spec, bool demanded) {
  const std::string key = sha256_hex(json(spec).dump());
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(key);
  if (found != known_.end()) {
    if (demanded) found->second->demanded = true;
    return found->second->result;
  }
  auto job = std::make_shared<Job>();
  job->spec = spec;
  job->key = key;
  job->demanded = demanded;
  job->result = job->promise.get_future().share();
  known_[key] = job;
  queue_.push_back(job);
  wake_.notify_one();
  return job->result;
}

double Builders::take_speculative_seconds() {
  const std::lock_guard lock(mutex_);
  return std::exchange(speculative_s_, 0.0);
}

std::shared_ptr<Builders::Job> Builders::next(bool& speculative) {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return closing_.load() || !queue_.empty(); });
  if (closing_) return nullptr;
  auto chosen = std::find_if(queue_.begin(), queue_.end(), [](const auto& job) { return job->demanded; });
  if (chosen == queue_.end()) chosen = queue_.begin();
  std::shared_ptr<Job> job = *chosen;
  queue_.erase(chosen);
  speculative = !job->demanded;
  return job;
}

void Builders::serve() {
  std::optional<Process> process;
  bool speculative = false;
  while (const std::shared_ptr<Job> job = next(speculative)) {
    try {
      if (!process) {
        process = Process::start({"builder"});
        process->channel().send(target_);
      }
      BuildResult result = build(*process, job->spec);
      if (speculative) {
        const std::lock_guard lock(mutex_);
        speculative_s_ += std::visit([](const auto& built) { return built.compile_s; }, result);
      }
      job->promise.set_value(std::move(result));
    } catch (const Error& error) {  // the environment's doing, perhaps a passing one: asked again, it is tried again
      process.reset();
      const std::lock_guard lock(mutex_);
      known_.erase(job->key);
      job->promise.set_exception(std::make_exception_ptr(error));
    } catch (const std::exception& failure) {  // the compiler's process died or ran too long: this source's own doing
      process.reset();
      job->promise.set_value(CompileFailure{failure.what(), 0});
    }
  }
}

BuildResult Builders::build(Process& process, const BuildSpec& spec) {
  process.channel().send(spec);
  Message reply;
  const Channel::Status status = process.channel().receive(reply, deadline_s_, [this] { return closing_.load(); });
  if (status == Channel::Status::timed_out)
    throw std::runtime_error(fmt::format("error: the compiler ran longer than {} s and was stopped", deadline_s_));
  if (status == Channel::Status::interrupted) throw environment_error("building was interrupted");
  if (status == Channel::Status::closed) {
    const ProcessEnd end = process.wait();
    throw std::runtime_error(fmt::format("error: the compiler's process ended ({} {}): {}",
                                         end.signaled ? "signal" : "status", end.code, end.output));
  }
  if (reply.body.contains("environment")) throw environment_error(reply.body["environment"]);
  if (reply.body.contains("failure")) return reply.body["failure"].get<CompileFailure>();
  return reply.body.at("artifact").get<Artifact>();
}

int serve_builder() {
  Channel channel(3);
  Message message;
  if (channel.receive(message, -1) != Channel::Status::ok) return 0;
  std::unique_ptr<Compiler> compiler;
  const Target target = message.body.get<Target>();
  while (channel.receive(message, -1) == Channel::Status::ok) {
    json reply;
    try {
      if (!compiler) compiler = make_compiler(target);
      const BuildResult result = compiler->build(message.body.get<BuildSpec>());
      if (const auto* artifact = std::get_if<Artifact>(&result)) reply["artifact"] = *artifact;
      else reply["failure"] = std::get<CompileFailure>(result);
    } catch (const std::exception& error) {
      reply["environment"] = error.what();
    }
    if (!channel.send(reply)) return 0;
  }
  return 0;
}

}  // namespace harness
