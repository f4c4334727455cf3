#pragma once
#include <string>
#include <vector>

#include "harness/capture/injected/launch.h"

namespace harness::injected {

/// One launch of a kernel, with the memory behind its pointers before and after it.
class Snapshot {
 public:
  /// `wanted`: a part of the kernel's name; "": none. The first `skip` launches of it are let pass. `folder` gets
  /// launch.json, N.before.bin and N.after.bin for value N; of one allocation at most `most_bytes`.
  Snapshot(std::string wanted, long skip, std::string folder, std::size_t most_bytes);

  /// When a launch is asked for, and when the call returns.
  void before(const Asked& asked, std::uint32_t correlation, const Driver& driver);
  void after(std::uint32_t correlation, const Driver& driver);

 private:
  bool copy(std::size_t value, const char* when, const Driver& driver) const;

  std::string wanted_, folder_;
  long skip_;
  std::size_t most_bytes_;
  bool done_ = false, waiting_ = false;
  std::uint32_t correlation_ = 0;
  Asked asked_;
  std::vector<Passed> values_;
};

/// "ns::softmax<float>" of a linked name; the name itself where it is none.
std::string readable_name(const std::string& linked);

}  // namespace harness::injected
