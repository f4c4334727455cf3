#pragma once
#include <linux/filter.h>

#include <vector>

namespace harness {

/// Takes away from a compiler the system calls that reach beyond its files: network, other processes (signals, ptrace,
/// their memory), mounts and namespaces, keys, kernel modules, io_uring and the like. They fail with EPERM rather than
/// kill: compilers differ between versions, and one that asks in vain for a core count or a socket still compiles.
class CallFilter {
 public:
  CallFilter();
  /// For every thread of this process and all it starts, for ever. Async-signal-safe.
  bool enter() const;

 private:
  std::vector<sock_filter> program_;
};

}  // namespace harness
