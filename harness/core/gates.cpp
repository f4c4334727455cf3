#include "harness/core/gates.h"

#include <algorithm>
#include <cassert>

namespace harness {
namespace {

/// The name alone, or with a qualifier behind a colon.
bool is_named(std::string_view recorded, std::string_view name) {
  return recorded.starts_with(name) && (recorded.size() == name.size() || recorded[name.size()] == ':');
}

}  // namespace

std::string name_of(const Gate& gate, std::string_view qualifier) {
  assert(&gate != &gate::after_timing);
  std::string name(gate.name);
  if (!qualifier.empty()) (name += ':') += qualifier;
  return name;
}

std::string after_timing(const std::string& recorded) {
  return recorded + std::string(gate::after_timing.name);
}

const Gate* find_gate(std::string_view recorded) {
  if (recorded.ends_with(gate::after_timing.name)) return &gate::after_timing;
  const Gate* longest = nullptr;  // "source-policy:ptx" is a gate, and not source-policy of something
  for (const Gate* gate : kAllGates)
    if (is_named(recorded, gate->name) && (longest == nullptr || gate->name.size() > longest->name.size()))
      longest = gate;
  return longest;
}

std::string reservation(std::string_view recorded, const std::string& detail) {
  const Gate* const gate = find_gate(recorded);
  if (std::ranges::find(kReservations, gate) == std::end(kReservations)) return "";
  return (gate == &gate::forms ? "hostile forms " : "") + detail;
}

}  // namespace harness
