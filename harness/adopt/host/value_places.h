#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/adopt/source/launch.h"
#include "harness/adopt/source/source.h"

// Where a file says the value of a name that `adopt --tune` binds: the patch writes there, and what stands there is the
// original's.
namespace harness::adopt {

struct ValuePlace {
  const SourceText* file = nullptr;
  std::size_t begin = 0, end = 0;  // bytes
};

/// In the order in which --tune binds a name: a template argument of `kernel` in these launches, a macro or constant of
/// the files, a variable of the launches' functions (or the uses of a parameter of theirs), and of "block" what stands
/// in <<<>>>. `kernel`: nullptr where there are several. Empty: nowhere, or a launch leaves the template argument to
/// its default.
std::vector<ValuePlace> value_places(const Source& source, const Declaration* kernel,
                                     const std::vector<HostLaunch>& launches, const std::string& name);

/// The number that stands at all of them; nothing: another text, or no place.
std::optional<std::int64_t> value_at(const std::vector<ValuePlace>& places);

}  // namespace harness::adopt
