#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/core/error.h"
#include "harness/judge/custom.h"
#include "harness/judge/draw.h"
#include "harness/judge/npy.h"
#include "harness/judge/paint.h"
#include "harness/judge/reference.h"
#include "harness/judge/verdict.h"
#include "harness/worker/judge.h"

namespace harness {
namespace {

class JudgeService {
 public:
  explicit JudgeService(Target target) : target_(std::move(target)) {}

  json answer(const json& body, std::span<std::byte> image) {
    const Executable executable = body.at("executable").get<Executable>();
    const auto trusted = body.at("trusted").get<Judge::Trusted>();
    const auto seed = body.at("seed").get<std::uint64_t>();
    if (body.at("op") == "paint") return paint(executable, trusted, seed, body.at("keep"), image);
    return {{"verdict", verdict(executable, trusted, seed, image)}};
  }

 private:
  Session& session() {
    if (!session_) session_ = make_session(target_);
    return *session_;
  }

  json paint(const Executable& executable, const Judge::Trusted& trusted, std::uint64_t seed, bool keep,
             std::span<std::byte> image) {
    // Painted in private memory first: a process that still maps the image must not change what is remembered.
    std::vector<std::byte> own(image.size());
    judge::paint(executable.problem, executable.plan, executable.layout, seed, own);
    for (const std::string& name : judge::needs_custom_draw(executable.problem)) {
      const Argument& argument = *find_argument(executable.problem, name);
      judge::CustomJob job = judge::custom_draw_job(executable.problem, argument, seed);
      run(job, trusted);
      judge::place_custom_draw(argument, job, executable.layout, own);
    }
    std::copy(own.begin(), own.end(), image.begin());
    if (keep) {
      before_ = std::move(own);
      before_seed_ = seed;
    }
    return json::object();
  }

  Verdict verdict(const Executable& executable, const Judge::Trusted& trusted, std::uint64_t seed,
                  std::span<const std::byte> after) {
    if (seed != before_seed_ || before_.size() != after.size())
      throw std::logic_error("a verdict was asked for a draw that was not kept");
    check_golden(executable, trusted);
    judge::ReferenceJob job = judge::make_reference_job(executable.problem, "");
    job.executable.artifact = trusted.reference;
    std::vector<std::byte> image = judge::reference_image(executable.problem, executable.layout, before_, job);
    session().run(job.executable, image);
    const judge::ReferenceValues values = judge::read_reference(executable.problem, job, image);
    std::map<std::string, GateResult> decided;
    for (const std::string& name : judge::needs_custom_compare(executable.problem)) {
      judge::CustomJob compare = judge::custom_compare_job(executable.problem, *find_argument(executable.problem, name),
                                                           executable.layout, after, values.at(name));
      run(compare, trusted);
      decided[name] = judge::read_custom_compare(compare);
    }
    Verdict verdict =
        judge::judge(executable.problem, executable.plan, executable.layout, before_, after, values, seed, decided);
    before_.clear();
    return verdict;
  }

  // The reference itself against arrays from elsewhere, where the kernel has some: once for each contract.
  void check_golden(const Executable& executable, const Judge::Trusted& trusted) {
    if (!golden_checked_.insert(executable.problem.contract_hash).second) return;
    for (const std::string& folder : executable.problem.reference.golden) {
      std::vector<std::byte> painted(before_);
      judge::place_golden_inputs(executable.problem, executable.layout, folder, painted);
      judge::ReferenceJob job = judge::make_reference_job(executable.problem, "");
      job.executable.artifact = trusted.reference;
      std::vector<std::byte> image = judge::reference_image(executable.problem, executable.layout, painted, job);
      session().run(job.executable, image);
      if (const auto wrong =
              judge::compare_golden(executable.problem, judge::read_reference(executable.problem, job, image), folder))
        throw bad_input(fmt::format("its reference disagrees with the golden arrays: {}", *wrong));
    }
  }

  void run(judge::CustomJob& job, const Judge::Trusted& trusted) {
    job.executable.artifact = trusted.custom.at(job.source);
    session().run(job.executable, job.image);
  }

  Target target_;
  std::unique_ptr<Session> session_;
  std::vector<std::byte> before_;  // the image as painted
  std::uint64_t before_seed_ = 0;
  std::set<std::string> golden_checked_;  // contract hashes
};

json guarded(JudgeService& service, Message& message) {
  try {
    const auto bytes = message.body.at("executable").at("layout").at("bytes").get<std::size_t>();
    const SharedMemory image(message.descriptors.at(0), bytes);
    return service.answer(message.body, image.bytes());
  } catch (const DeviceFault& fault) {
    return {{"error", fmt::format("the reference itself failed on the device: {}", fault.what())}, {"broken", true}};
  } catch (const DeviceMemoryExhausted& memory) {
    return {{"error", memory.what()}, {"environment", true}};
  } catch (const Error& error) {
    return {{"error", error.what()}, {"environment", error.kind() == Error::Kind::environment}};
  } catch (const std::exception& error) {
    return {{"error", error.what()}};
  }
}

}  // namespace

int serve_judge() {
  Channel channel(3);
  Message message;
  if (channel.receive(message, -1) != Channel::Status::ok) return 0;
  JudgeService service(message.body.get<Target>());
  while (channel.receive(message, -1) == Channel::Status::ok)
    if (!channel.send(guarded(service, message))) break;
  return 0;
}

}  // namespace harness
