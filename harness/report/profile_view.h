#pragma once
#include <string>
#include <utility>
#include <vector>

#include "harness/core/profile.h"

// A profile for people.
namespace harness::report {

/// Names of files, as the compiler was told, and their texts.
using ProfiledSources = std::vector<std::pair<std::string, std::string>>;

/// The prediction, the numbers and the source with what its dearest lines cost. Ends with a line end.
std::string profile_text(const Profile& profile, const ProfiledSources& sources);

/// "predicted 12.3 us for H200, not measured (6.1 us to 24.6 us)"; "" where there is no prediction.
std::string prediction_text(const Profile& profile);

/// "1,048,576", or "0.25" of what is no whole number.
std::string grouped_number(double value);

}  // namespace harness::report
