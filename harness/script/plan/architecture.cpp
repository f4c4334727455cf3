#include "harness/script/plan/architecture.h"

#include <charconv>

namespace harness::script {

std::optional<ArchitectureRequirement> parse_requirement(const std::string& text) {
  std::string_view rest = text;
  ArchitectureRequirement requirement{0, true};
  if (rest.starts_with(">=")) requirement.exactly = false;
  if (rest.starts_with(">=") || rest.starts_with("==")) rest.remove_prefix(2);
  const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), requirement.capability);
  rest.remove_prefix(static_cast<std::size_t>(parsed.ptr - rest.data()));
  if (rest == "a") requirement.exactly = true;
  else if (!rest.empty()) return std::nullopt;
  if (parsed.ec != std::errc() || requirement.capability < 10 || requirement.capability > 999) return std::nullopt;
  return requirement;
}

bool meets(const ArchitectureRequirement& requirement, int compute_capability) {
  return requirement.exactly ? compute_capability == requirement.capability
                             : compute_capability >= requirement.capability;
}

}  // namespace harness::script
