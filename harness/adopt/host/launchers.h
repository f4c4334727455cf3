#pragma once
#include <optional>
#include <string>

#include "harness/adopt/source/source.h"

namespace harness::adopt {

/// The text of the main file with the calls of its launchers written out: of functions that are templates over numbers,
/// launch, and are called with several of them, as in `if (n < 1024) launch<64>(x, n); else launch<512>(x, n);`. Then
/// the launches stand where the host chooses. Lines keep their numbers. Nothing: there are none, or what they do
/// besides cannot stand elsewhere.
std::optional<std::string> with_launchers_written_out(const Source& source);

}  // namespace harness::adopt
