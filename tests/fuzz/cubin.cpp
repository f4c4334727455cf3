#include "harness/device/cuda/compile/cubin.h"

#include "harness/core/error.h"
#include "tests/fuzz/entries.h"

namespace harness::fuzz {

void cubin(const std::uint8_t* data, std::size_t bytes) {
  try {
    cuda::parse_cubin({reinterpret_cast<const char*>(data), bytes});
  } catch (const Error&) {
  }
}

}  // namespace harness::fuzz
