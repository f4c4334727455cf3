#pragma once
#include <linux/filter.h>

#include <initializer_list>
#include <vector>

namespace harness {

/// System calls that a process may make; any other ends it with SIGSYS (a seccomp filter). Lists that are entered one
/// after the other all hold.
class AllowList {
 public:
  /// The low or high 32 bits of an argument, masked, equal a value.
  struct Condition {
    unsigned argument = 0;
    bool high = false;
    unsigned mask = ~0U, value = 0;
  };

  AllowList();
  void allow(int call);
  /// Where all conditions hold; several for one call: where those of any do.
  void allow_where(int call, std::initializer_list<Condition> conditions);
  /// The call fails with this errno.
  void fail(int call, int error);
  /// For every thread of this process and all it starts, for ever. False, with errno, where the kernel refuses.
  bool enter() const;

 private:
  std::vector<sock_filter> program_;
};

}  // namespace harness
