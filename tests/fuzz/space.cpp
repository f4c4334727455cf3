#include "harness/core/error.h"
#include "harness/simulate/as_export.h"
#include "harness/simulate/read_space.h"
#include "tests/fuzz/entries.h"

namespace harness::fuzz {

void space(const std::uint8_t* data, std::size_t bytes) {
  const std::string file = file_of("space.json", data, bytes);
  try {
    simulate::begins_as_export(file);
    simulate::as_export(simulate::read_space(file), 0);
  } catch (const Error&) {
  }
}

}  // namespace harness::fuzz
