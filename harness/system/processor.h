#pragma once
#include <linux/audit.h>

namespace harness {

/// What the walls around foreign native code know of this machine's processor.
#ifdef __aarch64__
inline constexpr unsigned kAuditArchitecture = AUDIT_ARCH_AARCH64;
/// Every instruction lies at a multiple of its length: none hides within another, so that a look into the machine code
/// sees each. The kernel can take the time counter away since Linux 6.12 only.
inline constexpr bool kInstructionsCannotOverlap = true;
#else
inline constexpr unsigned kAuditArchitecture = AUDIT_ARCH_X86_64;
inline constexpr bool kInstructionsCannotOverlap = false;
#endif

/// Reads the counter by the instruction that a candidate would use.
inline void read_time_counter() {
#ifdef __aarch64__
  unsigned long ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
#else
  __builtin_ia32_rdtsc();
#endif
}

}  // namespace harness
