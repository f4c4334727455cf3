#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/core/contract.h"
#include "kernels/include/harness/random.cuh"

// Hostile forms of floating inputs: values among which a kernel that is only nearly right shows.
namespace harness::judge {

/// The names of the forms, "nominal" first.
const std::vector<std::string>& draw_forms();

/// One of draw_forms(); "scaled X" with any number X; or "planted X Y ..." with some numbers.
bool is_form(const std::string& form);
/// Of "planted 3 -0.5": the first elements of a tensor are these, in their order, and of the others one in eight is one
/// of them. Empty: it is no such form.
std::vector<double> planted_values(const std::string& form);
/// Further out nothing is planted where no contract says that values go there.
inline constexpr double kMostPlanted = 2048;

struct ElementPlace {
  std::uint64_t row = 0, column = 0, columns = 1, elements = 1;
};
/// An element's value in a form, from its nominal value, random bits of its own, and its place.
using Change = std::function<double(double value, random::Words bits, const ElementPlace& place)>;
/// "ends", "denormals", "infinities", "nans", "ties" or "sorted", for an input whose contract says what values are
/// passed; empty: it does not grant these, or it is another form.
Change domain_change(const std::string& form, const Argument& argument);
/// Empty for "nominal".
Change form_change(const std::string& form, std::uint64_t seed, std::uint64_t stream);

}  // namespace harness::judge
