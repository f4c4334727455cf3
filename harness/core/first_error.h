#pragma once
#include <string>
#include <string_view>

namespace harness {

/// The first line of a compiler's log that names an error; "" where none does.
std::string first_error(std::string_view log);

}  // namespace harness
