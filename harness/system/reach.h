#pragma once
#include <string>
#include <vector>

namespace harness {

/// All that a compiling process may touch. Paths are absolute; what does not exist is passed over.
struct Reach {
  std::vector<std::string> readable;  // folders and files
  std::vector<std::string> programs;  // the same, and what lies there may be started
  std::string writable;               // the one folder it may write to; "" for none
};

}  // namespace harness
