#pragma once
#include "harness_cpu/checked.h"
#include "harness_cpu/threads.h"

// Atomics are atomic between the host threads that run blocks. Each one also passes `harness_cpu_pause`, so a thread
// that spins on one lets the thread that it waits for run. Relaxed on a GPU, sequentially consistent here.

/// Replaces *address by next(*address) and gives the old value; T has 2, 4 or 8 bytes and any type.
template <typename T, typename Next>
inline T harness_cpu_exchange_by(T* address, Next next) {
  harness_cpu_pause();
  using Bits =
      std::conditional_t<sizeof(T) == 2, unsigned short, std::conditional_t<sizeof(T) == 4, unsigned, unsigned long>>;
  Bits* const cell = reinterpret_cast<Bits*>(address);
  Bits seen = __atomic_load_n(cell, __ATOMIC_RELAXED);
  for (;;) {
    T old;
    memcpy(&old, &seen, sizeof old);
    const T wanted = next(old);
    Bits bits;
    memcpy(&bits, &wanted, sizeof bits);
    if (__atomic_compare_exchange_n(cell, &seen, bits, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) return old;
  }
}

#define HARNESS_CPU_ATOMIC(T, name, builtin)          \
  inline T name(T* address, T value) {                \
    harness_cpu_pause();                              \
    return builtin(address, value, __ATOMIC_SEQ_CST); \
  }                                                   \
  inline T name##_block(T* address, T value) {        \
    return name(address, value);                      \
  }                                                   \
  inline T name##_system(T* address, T value) {       \
    return name(address, value);                      \
  }
#define HARNESS_CPU_ATOMIC_BY(T, name, expression)                                       \
  inline T name(T* address, T value) {                                                   \
    return harness_cpu_exchange_by(address, [value](T old) -> T { return expression; }); \
  }                                                                                      \
  inline T name##_block(T* address, T value) {                                           \
    return name(address, value);                                                         \
  }                                                                                      \
  inline T name##_system(T* address, T value) {                                          \
    return name(address, value);                                                         \
  }
#define HARNESS_CPU_ATOMIC_CAS(T)                                                                     \
  inline T atomicCAS(T* address, T compare, T value) {                                                \
    harness_cpu_pause();                                                                              \
    __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    return compare;                                                                                   \
  }                                                                                                   \
  inline T atomicCAS_block(T* address, T compare, T value) {                                          \
    return atomicCAS(address, compare, value);                                                        \
  }                                                                                                   \
  inline T atomicCAS_system(T* address, T compare, T value) {                                         \
    return atomicCAS(address, compare, value);                                                        \
  }

#ifdef HARNESS_CPU_COMPARES
#define HARNESS_CPU_ATOMIC_CHOICE(old, value) harness_cpu_chosen(static_cast<long>(old), static_cast<long>(value))
#else
#define HARNESS_CPU_ATOMIC_CHOICE(old, value) static_cast<void>(0)
#endif

#define HARNESS_CPU_INTEGER_ATOMICS(T)                                                                    \
  HARNESS_CPU_ATOMIC(T, atomicAdd, __atomic_fetch_add)                                                    \
  HARNESS_CPU_ATOMIC(T, atomicExch, __atomic_exchange_n)                                                  \
  HARNESS_CPU_ATOMIC(T, atomicAnd, __atomic_fetch_and)                                                    \
  HARNESS_CPU_ATOMIC(T, atomicOr, __atomic_fetch_or)                                                      \
  HARNESS_CPU_ATOMIC(T, atomicXor, __atomic_fetch_xor)                                                    \
  HARNESS_CPU_ATOMIC_BY(T, atomicMin, (HARNESS_CPU_ATOMIC_CHOICE(old, value), value < old ? value : old)) \
  HARNESS_CPU_ATOMIC_BY(T, atomicMax, (HARNESS_CPU_ATOMIC_CHOICE(old, value), old < value ? value : old)) \
  HARNESS_CPU_ATOMIC_CAS(T)
HARNESS_CPU_INTEGER_ATOMICS(int)
HARNESS_CPU_INTEGER_ATOMICS(unsigned)
HARNESS_CPU_INTEGER_ATOMICS(unsigned long long)
#undef HARNESS_CPU_ATOMIC_CHOICE
HARNESS_CPU_ATOMIC_BY(long long, atomicMin, value < old ? value : old)
HARNESS_CPU_ATOMIC_BY(long long, atomicMax, old < value ? value : old)
HARNESS_CPU_ATOMIC_CAS(unsigned short)
HARNESS_CPU_ATOMIC(int, atomicSub, __atomic_fetch_sub)
HARNESS_CPU_ATOMIC(unsigned, atomicSub, __atomic_fetch_sub)
HARNESS_CPU_ATOMIC_BY(unsigned, atomicInc, old >= value ? 0 : old + 1)
HARNESS_CPU_ATOMIC_BY(unsigned, atomicDec, old == 0 || old > value ? value : old - 1)
HARNESS_CPU_ATOMIC_BY(float, atomicAdd, old + value)
HARNESS_CPU_ATOMIC_BY(float, atomicExch, (static_cast<void>(old), value))
HARNESS_CPU_ATOMIC_BY(double, atomicAdd, old + value)

// Each component is atomic, the vector is not, as on sm_90.
inline float2 atomicAdd(float2* address, float2 value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}
inline float4 atomicAdd(float4* address, float4 value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y), atomicAdd(&address->z, value.z),
          atomicAdd(&address->w, value.w)};
}
