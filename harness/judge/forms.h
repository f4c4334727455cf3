#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/include/harness/random.cuh"

// Hostile forms of floating inputs: values among which a kernel that is only nearly right shows.
namespace harness::judge {

/// The names of the forms, "nominal" first.
const std::vector<std::string>& draw_forms();

/// One of draw_forms(), or "scaled X" with any number X.
bool is_form(const std::string& form);

struct ElementPlace {
  std::uint64_t row = 0, column = 0, columns = 1, elements = 1;
};
/// An element's value in a form, from its nominal value, random bits of its own, and its place.
using Change = std::function<double(double value, random::Words bits, const ElementPlace& place)>;
/// Empty for "nominal".
Change form_change(const std::string& form, std::uint64_t seed, std::uint64_t stream);

}  // namespace harness::judge
