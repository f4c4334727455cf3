#include "harness/service/asked_profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/gpu.h"
#include "harness/service/arguments.h"
#include "harness/service/profile_beside.h"

namespace harness {
namespace {

/// The GPU whose model is used: the one that is named, or the device itself, or the one that harness knows best.
std::string chosen_gpu(const ProfileAsked& asked, const DeviceInfo& device) {
  if (!asked.gpu.empty()) return find_gpu(asked.gpu).name;
  const GpuFacts* const own = gpu_of_device(device.name);
  return own != nullptr ? own->name : find_gpu("").name;
}

json profile_json(const Realized& realized, const Profile& profile) {
  json object = profile;
  object["kernel"] = realized.candidate.kernel;
  object["variant"] = realized.candidate.variant;
  object["config"] = config_to_json(realized.candidate.config);
  object["workload"] = realized.problem.workload.name;
  return object;
}

/// What no counter of a GPU tells, and a count does.
void add_counted_numbers(std::vector<ProfileNumber>& to, const std::vector<ProfileNumber>& counted) {
  for (const char* name : {"least_sectors", "atomics", "atomic_contention", "predicted_atomics_ns"}) {
    const auto is_it = [&](const ProfileNumber& number) { return number.name == name; };
    const auto found = std::ranges::find_if(counted, is_it);
    if (found != counted.end() && std::ranges::none_of(to, is_it)) to.push_back(*found);
  }
}

/// What one question is answered with.
class Profiling {
 public:
  Profiling(const ProfileAsked& asked, const Places& places, Shell& shell, const ProfileWatch& watch)
      : asked_(asked), places_(places), shell_(shell), watch_(watch), catalog_(shell.rooms.catalog(places)) {}
  bool answer();

 private:
  std::optional<Profile> find(const Realized& realized);
  bool compare(const Candidate& candidate, const std::string& workload);
  bool add_lines(Profile& profile, const Candidate& candidate, const std::string& workload);
  bool add_others(ComparedProfiles& compared);

  const ProfileAsked& asked_;
  const Places& places_;
  Shell& shell_;
  const ProfileWatch& watch_;
  std::unique_ptr<Catalog> catalog_;
  DeviceInfo device_;
  std::unique_ptr<Profiler> profiler_;
  std::unique_ptr<Diagnoser> diagnoser_;
  ProfileRequest request_;
};

bool Profiling::answer() {
  AskedCandidate wanted = asked_candidate(asked_.words, *catalog_, shell_);
  variant_of(catalog_->kernel(wanted.candidate.kernel), wanted.candidate.variant);
  device_ = choose_device(asked_.device, shell_.rooms.devices(places_));
  std::vector<std::string> workloads = asked_workloads(wanted, asked_.workloads, *catalog_, device_);
  if (asked_.workloads.empty()) workloads.resize(1);
  use_edited(wanted, workloads, *catalog_, device_);
  profiler_ = shell_.rooms.profiler(places_, device_, asked_.stop);
  diagnoser_ = shell_.rooms.diagnoser(places_);
  request_ = {chosen_gpu(asked_, device_), asked_.blocks, {}};
  if (!asked_.through.empty()) request_.through = named<ProfileSource>(asked_.through);
  return std::ranges::all_of(workloads,
                             [&](const std::string& workload) { return compare(wanted.candidate, workload); });
}

/// With its diagnosis.
std::optional<Profile> Profiling::find(const Realized& realized) {
  auto profile = profiler_->profile(realized, request_);
  if (profile) profile->diagnosis = diagnoser_->diagnose(*profile);
  return profile;
}

bool Profiling::compare(const Candidate& candidate, const std::string& workload) {
  const Realized realized = realize(candidate, workload, *catalog_, device_);
  watch_.begun(fmt::format("{} {} on {}", candidate.kernel, candidate.variant, workload));
  auto profile = find(realized);
  if (!profile) return false;
  if (!device_.emulation && !asked_.numbers_only) {
    watch_.begun("counting lines on the cpu device");
    if (!add_lines(*profile, candidate, workload)) return false;
    profile->diagnosis = diagnoser_->diagnose(*profile);
  }
  ComparedProfiles compared{{"candidate"}, {realized}, {*profile}};
  const bool beside = asked_.beside || (!device_.emulation && !asked_.alone);
  if (beside && !add_others(compared)) return false;
  watch_.ended(compared);
  return true;
}

// A GPU's counters know no lines. The cpu device sees every access, so it counts the same candidate there, and its
// lines stand beside the GPU's numbers. Where it cannot, the profile says why.
bool Profiling::add_lines(Profile& profile, const Candidate& candidate, const std::string& workload) {
  const std::optional<DeviceInfo> counts = device_that_counts(shell_.rooms.devices(places_));
  if (!counts) return true;
  try {
    const auto counted =
        shell_.rooms.profiler(places_, *counts, asked_.stop)
            ->profile(realize(candidate, workload, *catalog_, *counts), {request_.gpu, request_.blocks, {}});
    if (!counted) return false;
    if (counted->launches.size() != profile.launches.size())
      throw bad_input(fmt::format("it makes {} launches there", counted->launches.size()));
    std::int64_t blocks = 0, sampled = 0;
    for (std::size_t i = 0; i < profile.launches.size(); ++i) {
      profile.launches[i].lines = counted->launches[i].lines;
      blocks += counted->launches[i].blocks;
      sampled += counted->launches[i].sampled_blocks;
    }
    add_counted_numbers(profile.numbers, counted->numbers);
    profile.lines_from =
        fmt::format("lines: counted on the cpu device, {} of {} blocks, scaled to all", sampled, blocks);
  } catch (const Error& error) {
    profile.lines_from = fmt::format("lines: none, for the cpu device could not count them: {}", error.what());
  }
  return true;
}

bool Profiling::add_others(ComparedProfiles& compared) {
  for (const Beside& other : others_beside(compared.candidates.front(), *catalog_, device_, shell_)) {
    watch_.begun(fmt::format("{} {}", other.title, other.realized.candidate.variant));
    try {
      const auto profile = find(other.realized);
      if (!profile) return false;
      compared.titles.push_back(other.title);
      compared.candidates.push_back(other.realized);
      compared.profiles.push_back(*profile);
    } catch (const Error& error) {
      shell_.note(fmt::format("no profile of the {}: {}", other.title, error.what()));
    }
  }
  return true;
}

}  // namespace

json ComparedProfiles::as_json() const {
  json object = profile_json(candidates[0], profiles[0]);
  object["beside"] = json::array();
  for (std::size_t i = 1; i < titles.size(); ++i) {
    object["beside"].push_back(profile_json(candidates[i], profiles[i]));
    object["beside"].back()["title"] = titles[i];
  }
  return object;
}

bool profile_asked(const ProfileAsked& asked, const Places& places, Shell& shell, const ProfileWatch& watch) {
  return Profiling(asked, places, shell, watch).answer();
}

}  // namespace harness
