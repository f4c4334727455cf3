#pragma once
#include <optional>
#include <string>

#include "harness/core/dtype.h"

namespace harness::adopt {

/// "float" -> f32, also float4 with 4 `lanes`; nothing: no element type.
std::optional<Dtype> dtype_of_type(const std::string& type, int* lanes = nullptr);

/// The words of a text that are floating types become double.
std::string with_doubles(const std::string& text);

}  // namespace harness::adopt
