#include "harness/flashinfer/reference_program.h"

namespace harness::flashinfer {

const char* reference_program() {
  static constexpr const char* kText =
#include "embedded/harness/flashinfer/reference_program.in"
      ;
  return kText;
}

}  // namespace harness::flashinfer
