#include "harness/device/cpu/execute/fiber.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace harness::cpu {
namespace {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

#if defined(__SANITIZE_ADDRESS__)
void announce(void** fake_stack, const Fiber& target) {
  __sanitizer_start_switch_fiber(fake_stack, target.bottom, target.bytes);
}
void confirm(void* fake_stack, Fiber* from) {
  const void* bottom = nullptr;
  std::size_t bytes = 0;
  __sanitizer_finish_switch_fiber(fake_stack, &bottom, &bytes);
  if (from) from->bottom = bottom, from->bytes = bytes;
}
#else
void announce(void**, const Fiber&) {}
void confirm(void*, Fiber*) {}
#endif

void remember(transfer_t transfer, void* fake_stack) {
  Fiber* from = static_cast<Fiber*>(transfer.data);
  confirm(fake_stack, from);
  if (from) from->context = transfer.fctx;
}

}  // namespace

void prepare(Fiber& fiber, void* top, void* bottom, void (*body)(transfer_t)) {
  fiber.bottom = bottom;
  fiber.bytes = static_cast<std::size_t>(static_cast<char*>(top) - static_cast<char*>(bottom));
  fiber.fake_stack = nullptr;
  fiber.context = make_fcontext(top, fiber.bytes, body);
}

void switch_fiber(Fiber& self, Fiber& target) {
  announce(&self.fake_stack, target);
  const transfer_t transfer = jump_fcontext(target.context, &self);
  remember(transfer, self.fake_stack);
}

void leave_fiber(Fiber& target) {
  announce(nullptr, target);
  jump_fcontext(target.context, nullptr);
  __builtin_unreachable();
}

void arrived(transfer_t transfer) {
  remember(transfer, nullptr);
}

}  // namespace harness::cpu
