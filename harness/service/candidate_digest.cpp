#include "harness/service/candidate_digest.h"

#include "harness/core/gpu.h"

namespace harness {
namespace {

/// With what the device's limits allow among its numbers: a rule asks for it.
Profile with_floor(Profile profile, const std::optional<FloorSum>& floor) {
  if (floor && !profile.number("floor_ns")) profile.numbers.push_back({"floor_ns", floor->ns});
  return profile;
}

}  // namespace

std::string candidate_digest(const DigestAsked& asked, Shell& shell) {
  DigestParts parts;
  parts.profile = asked.profile;
  parts.floor = floor_ns(asked.work, written_for(asked.device));
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

}  // namespace harness
