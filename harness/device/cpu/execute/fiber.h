#pragma once
#include <boost/context/detail/fcontext.hpp>
#include <cstddef>

namespace harness::cpu {

/// A suspended flow of control: a fiber, or the host thread itself while fibers run. The bounds of its stack are kept
/// for AddressSanitizer, which has to be told of every switch.
struct Fiber {
  boost::context::detail::fcontext_t context = nullptr;
  const void* bottom = nullptr;
  std::size_t bytes = 0;
  void* fake_stack = nullptr;
};

/// Makes `fiber` one that will run `body` on the given stack when first switched to. `body` must call
/// `arrived(transfer)` first and must never return.
void prepare(Fiber& fiber, void* top, void* bottom, void (*body)(boost::context::detail::transfer_t));

/// Suspends `self` and continues `target`; comes back when somebody switches to `self`.
void switch_fiber(Fiber& self, Fiber& target);

/// Continues `target` and never comes back: the stack that this runs on may be used again.
[[noreturn]] void leave_fiber(Fiber& target);

/// What a fiber's body does first: the flow that it came from is stored in the Fiber that was suspended.
void arrived(boost::context::detail::transfer_t transfer);

}  // namespace harness::cpu
