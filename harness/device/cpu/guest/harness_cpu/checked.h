#pragma once
#include "harness_cpu/abi.h"
#include "harness_cpu/keywords.h"

// A checked candidate is compiled with the instrumentation of -fsanitize=thread,alignment,bounds, and this is what the
// instrumentation calls: instead of the sanitizers' libraries, it tells the program that runs the candidate what is
// about to happen. The return address of each call says where in the source.

#ifdef HARNESS_CPU_CHECKED
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"

// Each ends with a call, which a jump does as well.
#define HARNESS_CPU_HOOK \
  __attribute__((used, no_sanitize("thread", "alignment", "bounds"), optimize("optimize-sibling-calls")))
#define HARNESS_CPU_FROM __builtin_return_address(0)

extern "C" {

__attribute__((visibility("default"))) extern const int harness_cpu_checked = 1;

HARNESS_CPU_HOOK void __tsan_init() {}

#define HARNESS_CPU_ACCESSES(bytes)                                                   \
  HARNESS_CPU_HOOK void __tsan_read##bytes(void* address) {                           \
    harness_cpu_access(address, bytes, harness_cpu_read, HARNESS_CPU_FROM);           \
  }                                                                                   \
  HARNESS_CPU_HOOK void __tsan_write##bytes(void* address) {                          \
    harness_cpu_access(address, bytes, harness_cpu_write, HARNESS_CPU_FROM);          \
  }                                                                                   \
  HARNESS_CPU_HOOK void __tsan_volatile_read##bytes(void* address) {                  \
    harness_cpu_access(address, bytes, harness_cpu_volatile_read, HARNESS_CPU_FROM);  \
  }                                                                                   \
  HARNESS_CPU_HOOK void __tsan_volatile_write##bytes(void* address) {                 \
    harness_cpu_access(address, bytes, harness_cpu_volatile_write, HARNESS_CPU_FROM); \
  }
HARNESS_CPU_ACCESSES(1)
HARNESS_CPU_ACCESSES(2)
HARNESS_CPU_ACCESSES(4)
HARNESS_CPU_ACCESSES(8)
HARNESS_CPU_ACCESSES(16)
#undef HARNESS_CPU_ACCESSES

HARNESS_CPU_HOOK void __tsan_read_range(void* address, long bytes) {
  harness_cpu_access(address, static_cast<unsigned long>(bytes), harness_cpu_read, HARNESS_CPU_FROM);
}
HARNESS_CPU_HOOK void __tsan_write_range(void* address, long bytes) {
  harness_cpu_access(address, static_cast<unsigned long>(bytes), harness_cpu_write, HARNESS_CPU_FROM);
}
HARNESS_CPU_HOOK void __tsan_vptr_update(void** address, void*) {
  harness_cpu_access(address, sizeof *address, harness_cpu_write, HARNESS_CPU_FROM);
}

HARNESS_CPU_HOOK void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  harness_cpu_fence();
}

#define HARNESS_CPU_FETCH(T, bits, operation)                                                              \
  HARNESS_CPU_HOOK T __tsan_atomic##bits##_fetch_##operation(volatile void* address, T value, int) {       \
    harness_cpu_access(const_cast<void*>(address), sizeof(T), harness_cpu_atomic_write, HARNESS_CPU_FROM); \
    return __atomic_fetch_##operation(static_cast<volatile T*>(address), value, __ATOMIC_SEQ_CST);         \
  }
#define HARNESS_CPU_COMPARE(T, bits, strength)                                                                     \
  HARNESS_CPU_HOOK bool __tsan_atomic##bits##_compare_exchange_##strength(volatile void* address, void* expected,  \
                                                                          T value, int, int) {                     \
    harness_cpu_access(const_cast<void*>(address), sizeof(T), harness_cpu_atomic_write, HARNESS_CPU_FROM);         \
    return __atomic_compare_exchange_n(static_cast<volatile T*>(address), static_cast<T*>(expected), value, false, \
                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                                        \
  }
#define HARNESS_CPU_ATOMICS(T, bits)                                                                       \
  HARNESS_CPU_HOOK T __tsan_atomic##bits##_load(const volatile void* address, int) {                       \
    harness_cpu_access(const_cast<void*>(address), sizeof(T), harness_cpu_atomic_read, HARNESS_CPU_FROM);  \
    return __atomic_load_n(static_cast<const volatile T*>(address), __ATOMIC_SEQ_CST);                     \
  }                                                                                                        \
  HARNESS_CPU_HOOK void __tsan_atomic##bits##_store(volatile void* address, T value, int) {                \
    harness_cpu_access(const_cast<void*>(address), sizeof(T), harness_cpu_atomic_write, HARNESS_CPU_FROM); \
    __atomic_store_n(static_cast<volatile T*>(address), value, __ATOMIC_SEQ_CST);                          \
  }                                                                                                        \
  HARNESS_CPU_HOOK T __tsan_atomic##bits##_exchange(volatile void* address, T value, int) {                \
    harness_cpu_access(const_cast<void*>(address), sizeof(T), harness_cpu_atomic_write, HARNESS_CPU_FROM); \
    return __atomic_exchange_n(static_cast<volatile T*>(address), value, __ATOMIC_SEQ_CST);                \
  }                                                                                                        \
  HARNESS_CPU_COMPARE(T, bits, strong)                                                                     \
  HARNESS_CPU_COMPARE(T, bits, weak)                                                                       \
  HARNESS_CPU_FETCH(T, bits, add)                                                                          \
  HARNESS_CPU_FETCH(T, bits, sub)                                                                          \
  HARNESS_CPU_FETCH(T, bits, and)                                                                          \
  HARNESS_CPU_FETCH(T, bits, or)                                                                           \
  HARNESS_CPU_FETCH(T, bits, xor)
HARNESS_CPU_ATOMICS(unsigned char, 8)
HARNESS_CPU_ATOMICS(unsigned short, 16)
HARNESS_CPU_ATOMICS(unsigned, 32)
HARNESS_CPU_ATOMICS(unsigned long, 64)
#undef HARNESS_CPU_ATOMICS
#undef HARNESS_CPU_COMPARE
#undef HARNESS_CPU_FETCH

// What the compiler lays beside each check (GCC's gcc/ubsan.cc gives the layouts).
struct HarnessCpuType {
  unsigned short kind, shape;  // of an integer: shape is twice the logarithm of its bits, plus 1 if it has a sign
  char name[1];
};
struct HarnessCpuPlace {
  const char* file;
  unsigned line, column;
};
struct HarnessCpuMismatch {
  HarnessCpuPlace place;
  const HarnessCpuType* type;
  unsigned char alignment_bits, use;
};
struct HarnessCpuIndexing {
  HarnessCpuPlace place;
  const HarnessCpuType *array, *index;
};
HARNESS_CPU_HOOK void __ubsan_handle_type_mismatch_v1(HarnessCpuMismatch* mismatch, unsigned long address) {
  harness_cpu_misaligned(reinterpret_cast<void*>(address), 1ul << mismatch->alignment_bits, mismatch->type->name,
                         HARNESS_CPU_FROM);
}
HARNESS_CPU_HOOK void __ubsan_handle_out_of_bounds(HarnessCpuIndexing* indexing, unsigned long value) {
  const unsigned unused = 64u - (1u << (indexing->index->shape >> 1));
  const long long index = static_cast<long long>(value << unused);
  harness_cpu_bad_index(indexing->index->shape & 1
                            ? index >> unused
                            : static_cast<long long>(static_cast<unsigned long long>(index) >> unused),
                        indexing->array->name, HARNESS_CPU_FROM);
}

// The linker sends the candidate's calls of these here (--wrap): the C library is not instrumented.
void* __real_memcpy(void* to, const void* from, size_t bytes);
void* __real_memmove(void* to, const void* from, size_t bytes);
void* __real_memset(void* to, int value, size_t bytes);
void* __real_malloc(size_t bytes);
void __real_free(void* memory);
HARNESS_CPU_HOOK void* __wrap_memcpy(void* to, const void* from, size_t bytes) {
  harness_cpu_access(from, bytes, harness_cpu_read, HARNESS_CPU_FROM);
  harness_cpu_access(to, bytes, harness_cpu_write, HARNESS_CPU_FROM);
  return __real_memcpy(to, from, bytes);
}
HARNESS_CPU_HOOK void* __wrap_memmove(void* to, const void* from, size_t bytes) {
  harness_cpu_access(from, bytes, harness_cpu_read, HARNESS_CPU_FROM);
  harness_cpu_access(to, bytes, harness_cpu_write, HARNESS_CPU_FROM);
  return __real_memmove(to, from, bytes);
}
HARNESS_CPU_HOOK void* __wrap_memset(void* to, int value, size_t bytes) {
  harness_cpu_access(to, bytes, harness_cpu_write, HARNESS_CPU_FROM);
  return __real_memset(to, value, bytes);
}
HARNESS_CPU_HOOK void* __wrap_malloc(size_t bytes) {
  void* const memory = __real_malloc(bytes);
  harness_cpu_allocated(memory, bytes);
  return memory;
}
HARNESS_CPU_HOOK void __wrap_free(void* memory) {
  harness_cpu_released(memory);
  __real_free(memory);
}

#ifdef HARNESS_CPU_COMPARES
#define HARNESS_CPU_COMPARISON(T, bytes)                                          \
  HARNESS_CPU_HOOK void __sanitizer_cov_trace_cmp##bytes(T left, T right) {       \
    harness_cpu_compared(bytes, left, right, HARNESS_CPU_FROM);                   \
  }                                                                               \
  HARNESS_CPU_HOOK void __sanitizer_cov_trace_const_cmp##bytes(T left, T right) { \
    harness_cpu_compared(bytes, right, left, HARNESS_CPU_FROM);                   \
  }
HARNESS_CPU_COMPARISON(unsigned char, 1)
HARNESS_CPU_COMPARISON(unsigned short, 2)
HARNESS_CPU_COMPARISON(unsigned, 4)
HARNESS_CPU_COMPARISON(unsigned long, 8)
#undef HARNESS_CPU_COMPARISON
HARNESS_CPU_HOOK void __sanitizer_cov_trace_cmpf(float left, float right) {
  unsigned l, r;
  __builtin_memcpy(&l, &left, 4);
  __builtin_memcpy(&r, &right, 4);
  harness_cpu_compared(-4, l, r, HARNESS_CPU_FROM);
}
HARNESS_CPU_HOOK void __sanitizer_cov_trace_cmpd(double left, double right) {
  unsigned long l, r;
  __builtin_memcpy(&l, &left, 8);
  __builtin_memcpy(&r, &right, 8);
  harness_cpu_compared(-8, l, r, HARNESS_CPU_FROM);
}
HARNESS_CPU_HOOK void __sanitizer_cov_trace_switch(unsigned long value, unsigned long* cases) {
  for (unsigned long i = 0; i < cases[0]; ++i)
    harness_cpu_compared(8 | static_cast<int>(i < 255 ? i + 1 : 255) << 8, value, cases[2 + i], HARNESS_CPU_FROM);
}
// A minimum and a maximum of floating numbers choose by comparing. To the compiler they are calls of the C library,
// which the linker sends here.
#define HARNESS_CPU_CHOICE(name, T, Bits)                                           \
  T __real_##name(T left, T right);                                                 \
  HARNESS_CPU_HOOK T __wrap_##name(T left, T right) {                               \
    Bits l, r;                                                                      \
    __builtin_memcpy(&l, &left, sizeof(T));                                         \
    __builtin_memcpy(&r, &right, sizeof(T));                                        \
    harness_cpu_compared(-static_cast<int>(sizeof(T)) - 1, l, r, HARNESS_CPU_FROM); \
    return __real_##name(left, right);                                              \
  }
HARNESS_CPU_CHOICE(fminf, float, unsigned)
HARNESS_CPU_CHOICE(fmaxf, float, unsigned)
HARNESS_CPU_CHOICE(fmin, double, unsigned long)
HARNESS_CPU_CHOICE(fmax, double, unsigned long)
#undef HARNESS_CPU_CHOICE
// Those of whole numbers are functions of the emulation, which ask here.
__attribute__((noinline)) HARNESS_CPU_HOOK void harness_cpu_chosen(long left, long right) {
  harness_cpu_compared(9, static_cast<unsigned long>(left), static_cast<unsigned long>(right), HARNESS_CPU_FROM);
}
#endif

}  // extern "C"

#undef HARNESS_CPU_FROM
#undef HARNESS_CPU_HOOK
#pragma GCC diagnostic pop
#endif
