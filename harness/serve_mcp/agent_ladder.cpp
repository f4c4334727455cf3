#include "harness/serve_mcp/agent_ladder.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/floor.h"
#include "harness/core/gpu.h"
#include "harness/serve_mcp/agent_candidate.h"
#include "harness/service/arguments.h"
#include "harness/service/asked_candidate.h"
#include "harness/service/candidate_digest.h"

namespace harness {
namespace {

using mcp::Answer;

constexpr std::size_t kLongestLog = 3000;
constexpr int kCountedBlocks = 16;  // of a launch, as `harness profile` counts

Answer compiled_row(const BuildResult& built) {
  if (const auto* failed = std::get_if<CompileFailure>(&built))
    return {{"compiles", false}, {"log", failed->log.substr(0, kLongestLog)}};
  const auto& artifact = std::get<Artifact>(built);
  Answer row = {{"compiles", true}, {"compiler", artifact.compiler}, {"entries", Answer::array()}};
  for (const EntryResources& entry : artifact.entries)
    row["entries"].push_back({{"entry", entry.entry},
                              {"registers", entry.registers},
                              {"spill_bytes", entry.spill_bytes},
                              {"static_shared_bytes", entry.static_shared_bytes}});
  if (!artifact.notes.empty()) row["notes"] = artifact.notes;
  return row;
}

/// The fields that every answer about a candidate has.
Answer about(const AgentCandidate& asked) {
  return {{"ok", true},
          {"kernel", asked.candidate.kernel},
          {"workload", asked.workload},
          {"variant", asked.candidate.variant}};
}

}  // namespace

Answer compile_for_agent(const AgentJob& job, const AgentSession& session, Archive& archive, Shell& shell) {
  const Places places = shell.places();
  const DeviceInfo device = choose_device(session.device, shell.rooms.devices(places));
  const std::string architecture = written_for(device).architecture;
  const auto offline = shell.rooms.offline_device(places, architecture);
  if (!offline || !offline->compiler)
    throw bad_input(
        fmt::format("nothing here compiles for {}; evaluate compiles for the session's device", architecture));
  const AgentCandidate asked = agent_candidate(job, session, device, archive.ledger(), places, shell);
  Answer answer = about(asked);
  answer["architecture"] = architecture;
  answer["compiled"] = Answer::array();
  for (Config& config : asked_sets(job)) {
    Candidate candidate = asked.candidate;
    candidate.config = std::move(config);
    const Realized realized = realized_candidate(job, asked, std::move(candidate), device);
    Answer row = {{"config", config_to_json(realized.candidate.config)}};
    row.update(compiled_row(offline->compiler->build(realized.build)));
    answer["compiled"].push_back(std::move(row));
  }
  answer["lasting"] = true;
  answer["next"] = "predict says what its time is expected to be; evaluate judges it";
  return answer;
}

namespace {

/// The device that counts here, predicting the session's GPU, or the one that is known best.
DeviceInfo counting_device(const AgentSession& session, Shell& shell) {
  const std::vector<DeviceInfo> devices = shell.rooms.devices(shell.places());
  const DeviceInfo of_session = choose_device(session.device, devices);
  const auto counts = device_that_counts(devices);
  if (!counts) throw bad_input("nothing here counts: the cpu device is missing");
  const GpuFacts* const own = gpu_of_device(of_session.name);
  const std::string gpu = !of_session.predicts.empty() ? of_session.predicts
                          : own != nullptr             ? own->name
                                                       : find_gpu("").name;
  return predicting(*counts, find_gpu(gpu));
}

}  // namespace

std::optional<Profile> counted_for_agent(const Realized& realized, const AgentSession& session, const JobStop& stop,
                                         Shell& shell) {
  const DeviceInfo device = counting_device(session, shell);
  const auto profiler = shell.rooms.profiler(shell.places(), device, [&stop] { return stop(); });
  return profiler->profile(realized, {device.predicts, kCountedBlocks, {}});
}

Answer predict_for_agent(const AgentJob& job, const AgentSession& session, const JobStop& stop, Archive& archive,
                         Shell& shell) {
  const Places places = shell.places();
  const DeviceInfo device = counting_device(session, shell);
  const std::string& gpu = device.predicts;
  const auto profiler = shell.rooms.profiler(places, device, [&stop] { return stop(); });
  const AgentCandidate asked = agent_candidate(job, session, device, archive.ledger(), places, shell);
  Answer answer = about(asked);
  answer["predicted"] = Answer::array();
  std::optional<Profile> fastest;
  Work work;
  for (Config& config : asked_sets(job)) {
    Answer row = {{"config", config_to_json(config)}};
    try {
      Candidate candidate = asked.candidate;
      candidate.config = std::move(config);
      const Realized realized = realized_candidate(job, asked, std::move(candidate), device);
      row["config"] = config_to_json(realized.candidate.config);
      auto profile = profiler->profile(realized, {gpu, kCountedBlocks, {}});
      if (!profile) return nullptr;
      const double time_ns = profile->number("predicted_ns").value_or(0);
      row["predicted_ns"] = time_ns;
      if (!fastest || time_ns < fastest->number("predicted_ns").value_or(0)) fastest = std::move(profile);
      work = realized.problem.work;
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::bad_input) throw;
      row["error"] = error.what();
    }
    answer["predicted"].push_back(std::move(row));
  }
  if (fastest) answer["digest"] = candidate_digest({&*fastest, work, device, std::nullopt, std::nullopt}, shell);
  answer["times"] = fmt::format("predicted for {} by counting sampled blocks; no gate has looked at it", gpu);
  answer["lasting"] = true;
  answer["next"] = "evaluate judges it";
  return answer;
}

}  // namespace harness
