#include "harness/worker/profile/device_profile.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/system/files.h"
#include "harness/system/temporary_folder.h"
#include "harness/worker/processes/process.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

std::string image_path(const std::string& folder, std::size_t plan) {
  return fmt::format("{}/image.{}", folder, plan);
}

void write_job(const TemporaryFolder& folder, const Target& target, std::span<const PlanToProfile> plans) {
  json executables = json::array();
  for (std::size_t i = 0; i < plans.size(); ++i) {
    executables.push_back(*plans[i].executable);
    const auto bytes = plans[i].image->bytes();
    write_file(image_path(folder.path().string(), i), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  write_file(folder.path("job.json"), json_text(json{{"target", target}, {"executables", executables}}));
}

/// What the process said of itself; a sentence instead where it said nothing or failed.
struct Answered {
  std::vector<Profile> profiles;
  std::string trouble;
  bool fault = false;  // of a plan: no other way would do better
};

Answered read_answer(const TemporaryFolder& folder, const ProcessEnd& end) {
  const json said = parse_json_if_valid(read_file_if_any(folder.path("answer.json")).value_or(""));
  if (!said.is_object()) {
    return {{},
            fmt::format("its process ended with {} {}{}", end.signaled ? "signal" : "exit status", end.code,
                        end.output.empty() ? "" : ": " + end.output.substr(0, 300)),
            false};
  }
  if (said.contains("trouble")) return {{}, said.at("trouble"), said.value("fault", false)};
  return {said.at("profiles").get<std::vector<Profile>>(), "", false};
}

/// The profiles by one way, or why it does not work.
Answered try_way(const DeviceProfiler& profiler, ProfileSource way, const TemporaryFolder& folder, double deadline_s,
                 const std::function<bool()>& stop) {
  const std::string log = folder.path("profiler.log");
  std::vector<std::string> words = profiler.wrapper(way, log);
  const std::string program = words.empty() ? Process::program() : words.front();
  if (words.empty()) words.push_back(program);
  else words.push_back(Process::program());
  words.insert(words.end(), {"worker", "profiled", folder.path().string(), std::string(name(way))});
  Process process = Process::start_program(program, words);
  if (!process.ends_within(deadline_s, stop)) {
    process.kill();
    return {{}, fmt::format("it did not end within {:.0f} s", deadline_s), false};
  }
  Answered answered = read_answer(folder, process.wait());
  if (!answered.trouble.empty()) return answered;
  try {
    profiler.read(read_file_if_any(log).value_or(""), way, answered.profiles);
  } catch (const Error& error) {
    return {{}, error.what(), false};
  }
  return answered;
}

}  // namespace

std::vector<Profile> profile_on_device(const DeviceKind& kind, const Target& target,
                                       std::span<const PlanToProfile> plans, double deadline_s,
                                       const std::function<bool()>& stop, std::optional<ProfileSource> through) {
  const auto profiler = kind.make_profiler();
  if (!profiler) throw environment_error(fmt::format("{} has no counters", target.device));
  const TemporaryFolder folder("profiled");
  write_job(folder, target, plans);
  std::string why;
  for (const ProfileWay& way : profiler->ways(target.device)) {
    if (through && way.source != *through) continue;
    Answered answered{{}, way.missing, false};
    if (way.missing.empty()) answered = try_way(*profiler, way.source, folder, deadline_s, stop);
    if (stop && stop()) throw environment_error("profiling was interrupted");
    if (answered.trouble.empty()) {
      for (Profile& profile : answered.profiles) profile.why = why;
      return answered.profiles;
    }
    if (answered.fault) throw DeviceFault(answered.trouble);
    why += fmt::format("{}no {}: {}", why.empty() ? "" : "; ", name(way.source), answered.trouble);
  }
  throw environment_error(why);
}

int serve_profiled(const DeviceKinds& kinds, const std::string& folder, const std::string& way) {
  json answer;
  try {
    const json job = parse_json(read_file(folder + "/job.json"));
    const Target target = job.at("target").get<Target>();
    const auto executables = job.at("executables").get<std::vector<Executable>>();
    std::vector<std::string> images;
    std::vector<ProfiledPlan> plans;
    for (std::size_t i = 0; i < executables.size(); ++i) images.push_back(read_file(image_path(folder, i)));
    for (std::size_t i = 0; i < executables.size(); ++i)
      plans.push_back({&executables[i], std::as_writable_bytes(std::span(images[i]))});
    const auto profiler = find_kind(kinds, target.device).make_profiler();
    if (!profiler) throw environment_error("this kind of device has no counters");
    answer["profiles"] = profiler->run(target, plans, named<ProfileSource>(way));
  } catch (const Error& error) {
    answer["trouble"] = error.what();
  } catch (const std::exception& error) {
    answer = {{"trouble", error.what()}, {"fault", true}};
  }
  write_file(folder + "/answer.json", json_text(answer));
  std::fflush(nullptr);
  std::_Exit(answer.contains("trouble") ? 1 : 0);  // CUPTI's threads outlive main otherwise
}

}  // namespace harness
