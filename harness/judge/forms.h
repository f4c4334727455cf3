#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/contract.h"
#include "harness/core/value_forms.cuh"
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
ElementPlace place_of(const Argument& argument, std::uint64_t element);
std::uint64_t form_stream(const Argument& argument);  // of the random words that a form has beside the values'

/// The form of this input, where a device can make it too. Nothing: "nominal", or form_change() makes it, or the input
/// comes in no forms.
std::optional<ValueForm> value_form(const std::string& form, const Argument& argument);
/// An element's value in a form, from its nominal value, random bits of its own, and its place.
using Change = std::function<double(double value, random::Words bits, const ElementPlace& place)>;
/// What the judge alone makes: "ends", "nans" and planted values. Empty: it is another form, or not for this input.
Change form_change(const std::string& form, const Argument& argument);
/// Of "ends", "denormals", "infinities", "nans", "ties" and "sorted": whether the contract says of this input that such
/// values are passed.
bool grants_form(const std::string& form, const Argument& argument);

}  // namespace harness::judge
