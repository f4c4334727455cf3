#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/profile.h"

// Between NVIDIA's names of counters and the numbers of a profile.
namespace harness::cuda {

/// The counters behind core/profile.h's table, in its order.
std::vector<std::string> counter_names();

/// Adds what the counter `name` says as one of the profile's numbers: percents become shares. Unknown counters and
/// values that are no number are left out.
void add_counter(std::string_view name, double value, std::vector<ProfileNumber>& numbers);

/// Numbers of a whole plan: what adds up is added, a ratio is weighted by the launches' times. A number that a launch
/// lacks is left out.
std::vector<ProfileNumber> sum_of_launches(std::span<const LaunchProfile> launches);

}  // namespace harness::cuda
