#pragma once
#include <string>

namespace harness::simulate {

/// The whole text of a file, unpacked if it is gzip (by its first bytes, not its name). Throws Error(bad_input) for a
/// file that is not there, cannot be read or is damaged. zlib lives here: recorded spaces are 20 times smaller packed.
std::string read_text(const std::string& file);

}  // namespace harness::simulate
