#include "harness/worker/processes/builders.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "harness/core/hash.h"
#include "harness/core/text_changed.h"
#include "harness/core/torch_call.h"
#include "harness/system/resource_limits.h"
#include "harness/system/walls.h"

namespace harness {

Builders::Builders(Target target, int processes)
    : target_(std::move(target)), most_speculative_(processes - processes / 4) {
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
  const std::string key = sha256_hex(json_text(spec));
  const std::lock_guard lock(mutex_);
  const auto build = known_.find(key);
  if (build != known_.end()) {
    if (demanded) {
      build->second->demanded = true;
      wake_.notify_all();  // it may have waited behind a pause
    }
    return build->second->result;
  }
  auto job = std::make_shared<Job>();
  job->spec = spec;
  job->key = key;
  job->demanded = demanded;
  job->result = job->promise.get_future().share();
  known_[key] = job;
  queue_.push_back(job);
  wake_.notify_all();  // servers and whoever waits for a pause to settle share it
  return job->result;
}

bool Builders::has_built(const BuildSpec& spec) const {
  const std::lock_guard lock(mutex_);
  const auto build = known_.find(sha256_hex(json_text(spec)));
  return build != known_.end() && build->second->result.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

double Builders::take_speculative_seconds() {
  const std::lock_guard lock(mutex_);
  return std::exchange(speculative_s_, 0.0);
}

Builders::Pause::Pause(Builders& builders) : builders_(builders) {
  const std::lock_guard lock(builders_.mutex_);
  ++builders_.pauses_;
}

Builders::Pause::~Pause() {
  {
    const std::lock_guard lock(builders_.mutex_);
    --builders_.pauses_;
  }
  builders_.wake_.notify_all();
}

std::unique_ptr<Builders::Pause> Builders::pause_speculative(double settle_s) {
  auto pause = std::make_unique<Pause>(*this);
  if (settle_s <= 0) return pause;
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, std::chrono::duration<double>(settle_s), [this] { return speculative_running_ == 0; });
  return pause;
}

std::string Builders::confinement() const {
  const std::lock_guard lock(mutex_);
  return confinement_;
}

// The first demanded one, or while nothing is timed the first of all. Called with the mutex held.
std::deque<std::shared_ptr<Builders::Job>>::iterator Builders::choose() {
  const auto demanded = std::find_if(queue_.begin(), queue_.end(), [](const auto& job) { return job->demanded; });
  const bool may_speculate = pauses_ == 0 && speculative_running_ < most_speculative_;
  return demanded == queue_.end() && may_speculate ? queue_.begin() : demanded;
}

std::shared_ptr<Builders::Job> Builders::next(bool& speculative) {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return closing_.load() || choose() != queue_.end(); });
  if (closing_) return nullptr;
  const auto chosen = choose();
  std::shared_ptr<Job> job = *chosen;
  queue_.erase(chosen);
  speculative = !job->demanded;
  if (speculative) ++speculative_running_;
  return job;
}

void Builders::serve() {
  std::optional<Process> process;
  bool speculative = false;
  while (const std::shared_ptr<Job> job = next(speculative)) {
    try {
      finish(*job, build(process, job->spec), speculative);
    } catch (const TextChanged& error) {
      fail(*job, std::make_exception_ptr(error), speculative);
    } catch (const Error& error) {
      process.reset();
      fail(*job, std::make_exception_ptr(error), speculative);
    } catch (const std::exception& error) {  // an answer that is none
      process.reset();
      fail(
          *job,
          std::make_exception_ptr(environment_error(fmt::format("a builder answered with nonsense: {}", error.what()))),
          speculative);
    }
  }
}

void Builders::finish(Job& job, BuildResult result, bool speculative) {
  {
    const std::lock_guard lock(mutex_);
    if (speculative) {
      --speculative_running_;
      speculative_s_ += std::visit([](const auto& built) { return built.compile_s; }, result);
    }
    forget_oldest(job.key);
  }
  job.spec = {};  // sources of thousands of candidates are megabytes
  wake_.notify_all();
  job.promise.set_value(std::move(result));
}

// Called with the mutex held.
void Builders::forget_oldest(const std::string& finished) {
  constexpr std::size_t kMostKept = 1024;
  finished_.push_back(finished);
  if (finished_.size() <= kMostKept) return;
  known_.erase(finished_.front());
  finished_.pop_front();
}

// The environment's doing, perhaps a passing one: asked again, it is tried again.
void Builders::fail(Job& job, std::exception_ptr error, bool speculative) {
  {
    const std::lock_guard lock(mutex_);
    if (speculative) --speculative_running_;
    known_.erase(job.key);
  }
  wake_.notify_all();
  job.promise.set_exception(std::move(error));
}

// What a source does to its compiler ends the compiler's own process and is the builder's answer. A builder that dies
// itself was killed from outside, or the machine has no memory left: no source is blamed, and another is tried.
BuildResult Builders::build(std::optional<Process>& process, const BuildSpec& spec) {
  for (int attempt = 0; attempt < kWorkerTries; ++attempt)
    if (std::optional<BuildResult> result = ask(process, spec)) return std::move(*result);
  throw environment_error(
      "several builders in a row were killed or did not answer; is the machine out of memory, or does something end "
      "them?");
}

std::optional<BuildResult> Builders::ask(std::optional<Process>& process, const BuildSpec& spec) {
  if (!process) {
    process = Process::start({"builder"});
    process->channel().send(target_);
  }
  process->channel().send(spec);
  Message reply;
  // The builder keeps the deadlines of its compilers; this one is for a builder that is stuck itself.
  constexpr double kProcesses = 5;  // at most so many compilers for one source
  const Patience patience{.seconds = kProcesses * target_.compile.deadline_s * kCompilerAsleepFactor + 10,
                          .asleep_factor = 1};
  const Answer answer = process->receive(reply, patience, [this] { return closing_.load(); });
  if (answer == Answer::interrupted) throw environment_error("building was interrupted");
  if (answer != Answer::ok) {
    process.reset();
    return std::nullopt;
  }
  if (reply.body.contains("confinement")) {
    const std::lock_guard lock(mutex_);
    confinement_ = reply.body["confinement"];
  }
  if (reply.body.contains("changed")) throw TextChanged(reply.body["changed"]);
  if (reply.body.contains("environment")) throw environment_error(reply.body["environment"]);
  if (reply.body.contains("failure")) return reply.body["failure"].get<CompileFailure>();
  return reply.body.at("artifact").get<Artifact>();
}

int serve_builder(const DeviceKinds& kinds) {
  Channel channel(3);
  Message message;
  if (channel.receive(message, -1) != Channel::Status::ok) return 0;
  std::unique_ptr<Compiler> compiler;
  const Target target = message.body.get<Target>();
  if (target.beside) take_free_cores();
  while (channel.receive(message, -1) == Channel::Status::ok) {
    json reply;
    if (!compiler) reply["confinement"] = in_words(walls_here());
    try {
      if (!compiler) compiler = make_compiler(find_kind(kinds, target.device), target);
      const auto spec = message.body.get<BuildSpec>();
      const BuildResult result = compiler->build(spec.builder == kTorch ? nothing_to_compile(spec) : spec);
      if (const auto* artifact = std::get_if<Artifact>(&result)) reply["artifact"] = *artifact;
      else reply["failure"] = std::get<CompileFailure>(result);
    } catch (const TextChanged& error) {
      reply["changed"] = error.what();
    } catch (const std::exception& error) {
      reply["environment"] = error.what();
    }
    if (!channel.send(reply)) return 0;
  }
  return 0;
}

}  // namespace harness
