#pragma once
#include <cstdio>
#include <string>

namespace harness::tests {

/// Test cases that could not run here; the closing count names them apart.
int& skipped();

/// Says why a test case does nothing on this machine and counts it as skipped. Call once, then return.
inline void skip(const std::string& why) {
  std::printf("skipped: %s\n", why.c_str());
  ++skipped();
}

}  // namespace harness::tests
