#pragma once
#include <cstddef>
#include <cstdint>

namespace harness::script {

/// Hold for one outermost run, call, resume or protect; memory for the life of the sandbox.
struct Limits {
  std::size_t memory_bytes = 256 << 20;  // no string may be longer than a sixteenth of it
  double seconds = 5;
  std::int64_t instructions = 200'000'000;
};

}  // namespace harness::script
