#pragma once

// N neighbouring elements that travel as one memory instruction. Up to 16 bytes (4 floats, 8 halves) a thread can move
// with one load or store; the address must be a multiple of the whole vector's size.
namespace harness {

template <class T, int N>
struct alignas(sizeof(T) * N) Vec {
  static_assert(sizeof(T) * N <= 16, "a thread moves at most 16 bytes with one instruction");
  T at[N];
};

/// The N elements at `p`, which must be aligned to N * sizeof(T) bytes.
template <int N, class T>
__device__ inline Vec<T, N> load(const T* p) {
  return *reinterpret_cast<const Vec<T, N>*>(p);
}

/// Stores N elements to `p`, which must be aligned to N * sizeof(T) bytes.
template <class T, int N>
__device__ inline void store(T* p, const Vec<T, N>& v) {
  *reinterpret_cast<Vec<T, N>*>(p) = v;
}

}  // namespace harness
