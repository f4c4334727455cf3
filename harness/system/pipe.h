#pragma once
#include <chrono>
#include <functional>
#include <string_view>
#include <vector>

#include "harness/system/descriptor.h"

namespace harness {

/// Both ends close when a child calls exec. Throws environment_error if there is none to be had.
struct Pipe {
  Pipe();
  Descriptor read_end, write_end;
};

/// A pipe that is read, and who takes what comes out of it; false from `take`: that is enough.
struct Stream {
  int descriptor = -1;
  std::function<bool(std::string_view part)> take;
};

/// Reads until all are closed by their writers. False: the time was up first, or one was enough.
bool read_until_closed(const std::vector<Stream>& streams, std::chrono::steady_clock::time_point deadline);

}  // namespace harness
