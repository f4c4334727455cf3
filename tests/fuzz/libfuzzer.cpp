#include "tests/fuzz/entries.h"

// One program an entry: FUZZ_ENTRY names it. Without it (test_fuzz) this file is empty.
#ifdef FUZZ_ENTRY
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  harness::fuzz::FUZZ_ENTRY(data, bytes);
  return 0;
}
#endif
