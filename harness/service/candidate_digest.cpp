#include "harness/service/candidate_digest.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/gpu.h"

namespace harness {
namespace {

/// With what the device's limits allow among its numbers: a rule asks for it.
Profile with_floor(Profile profile, const std::optional<FloorSum>& floor) {
  if (floor && !profile.number("floor_ns")) profile.numbers.push_back({"floor_ns", floor->ns});
  return profile;
}

std::optional<double> recorded_time(const json& iteration) {
  const auto time = iteration.find("time_ns");
  return time != iteration.end() && time->is_number() ? std::optional(time->get<double>()) : std::nullopt;
}

std::optional<Profile> recorded_profile(const json& iteration) {
  const auto profile = iteration.find("profile");
  return profile != iteration.end() && profile->is_object() ? std::optional(profile->get<Profile>()) : std::nullopt;
}

/// The device as far as a digest asks: its limits, by the facts of the GPU whose time was measured or predicted.
DeviceInfo recorded_device(const json& iteration) {
  DeviceInfo device;
  device.device = iteration.value("device", "");
  device.name = iteration.value("device_name", "");
  device.emulation = iteration.value("emulation", false);
  const std::string predicted = predicted_gpu(device.device);
  const GpuFacts* const gpu = gpu_of_device(device.emulation ? predicted : device.name);
  if (gpu != nullptr) device.predicts = gpu->name;
  return device;
}

/// None where the plugin is not here, or has no such workload any more.
Work work_here(const json& iteration, Shell& shell) {
  try {
    const auto catalog = shell.rooms.catalog(shell.places());
    return catalog->plugin(iteration.at("kernel")).problem(iteration.at("workload")).work;
  } catch (const Error&) {
    return {};
  }
}

std::string digest_against(const DigestAsked& asked, std::optional<FloorSum> floor, Shell& shell) {
  DigestParts parts;
  parts.profile = asked.profile;
  parts.floor = std::move(floor);
  parts.limit = known_limit(asked.work, written_for(asked.device));
  if (asked.profile != nullptr) {
    const auto diagnoser = shell.rooms.diagnoser(shell.places());
    parts.rules = diagnoser->diagnose_all(with_floor(*asked.profile, parts.floor));
    parts.known = diagnoser->rules();
  }
  parts.pages = shell.rooms.playbook(shell.places())->patterns();
  parts.time_ns = asked.time_ns;
  parts.predicted = asked.device.emulation;
  parts.parent = asked.parent;
  return digest_text(parts);
}

/// What was recorded with it: a GPU's facts may name other rates than the card that timed it.
std::optional<FloorSum> floor_of(const json& iteration, const DeviceInfo& device, Shell& shell) {
  const auto recorded = iteration.find("floor_ns");
  if (recorded != iteration.end() && recorded->is_number())
    return FloorSum{recorded->get<double>(), "", "the floor that was recorded with it"};
  return floor_ns(work_here(iteration, shell), written_for(device));
}

}  // namespace

std::string candidate_digest(const DigestAsked& asked, Shell& shell) {
  return digest_against(asked, floor_ns(asked.work, written_for(asked.device)), shell);
}

std::string recorded_digest(const json& iteration, const json& parent, Shell& shell) {
  const std::optional<double> time = recorded_time(iteration);
  const DeviceInfo device = recorded_device(iteration);
  if (!time || iteration.value("outcome", "") != "passed" || (device.emulation && device.predicts.empty())) return "";
  const std::optional<Profile> profile = recorded_profile(iteration);
  DigestAsked asked;
  if (profile) asked.profile = &*profile;
  asked.device = device;
  asked.time_ns = time;
  if (parent.is_object())
    if (const auto before = recorded_time(parent))
      asked.parent = DigestParent{
          fmt::format("{} (iteration {})", parent.value("variant", ""), parent.value("iteration", std::int64_t{0})),
          *before, recorded_profile(parent)};
  return digest_against(asked, floor_of(iteration, device, shell), shell);
}

}  // namespace harness
