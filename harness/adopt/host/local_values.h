#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/adopt/source/launch.h"

// What the variables of a host's function hold right before a launch, as it stands there.
namespace harness::adopt {

/// Of names that stand for names: so many steps are followed.
inline constexpr int kDeepestName = 12;

/// A template argument without names that only the host's function knows.
std::string written_out(const HostLaunch& launch, const Tokens& tokens, int depth = 0);

/// What the host's function gives a variable right before a launch, as it stands there; nothing: it has none.
std::optional<std::string> value_of_local(const HostLaunch& launch, const std::string& name);

/// The same of a field: n of `p.n = n;`.
std::optional<std::string> value_of_field(const HostLaunch& launch, const std::string& name, const std::string& field);

/// What a tensor of the host's function measures, a text for each dimension: out of zeros_like, empty({a, b}),
/// reshape({a, b}) and the like, else "x.size(0)".
std::vector<std::string> extents_of_tensor(const HostLaunch* launch, const std::string& tensor, int rank);

}  // namespace harness::adopt
