// May be included again and again: NDEBUG counts as it is at each inclusion.
#include "harness_cpu/abi.h"
#undef assert
#ifdef NDEBUG
#define assert(condition) static_cast<void>(0)
#else
#define assert(...)               \
  (static_cast<bool>(__VA_ARGS__) \
       ? static_cast<void>(0)     \
       : harness_cpu_fault(harness_cpu_assertion, "assertion '" #__VA_ARGS__ "' failed", __FILE__, __LINE__))
#endif
