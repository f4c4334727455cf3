#include "harness/device/port/python_programs.h"

namespace harness {

const char* python_reference_text() {
  static constexpr const char* kText =
#include "embedded/harness/device/port/python_reference.in"
      ;
  return kText;
}

const char* python_call_text() {
  static constexpr const char* kText =
#include "embedded/harness/device/port/python_call.in"
      ;
  return kText;
}

}  // namespace harness
