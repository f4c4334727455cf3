#include "harness/device/cpu/compile/elf.h"

#include <stdexcept>

#include "tests/fuzz/entries.h"

namespace harness::fuzz {

void elf(const std::uint8_t* data, std::size_t bytes) {
  try {
    cpu::read_elf({reinterpret_cast<const char*>(data), bytes});
  } catch (const std::runtime_error&) {
  }
}

}  // namespace harness::fuzz
