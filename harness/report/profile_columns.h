#pragma once
#include <string>
#include <vector>

#include "harness/core/profile.h"

namespace harness::report {

/// A profile under its heading: "candidate", "incumbent", "baseline", "rival".
struct ProfileColumn {
  std::string title;
  std::string what;  // variant and configuration
  Profile profile;
};

/// A dozen numbers, a row each; the first column's are compared with each of the others. A number that one source knows
/// and another does not is "-". Below it what limits each.
std::string profile_columns(const std::vector<ProfileColumn>& columns);

}  // namespace harness::report
