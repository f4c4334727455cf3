#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"

// nvcuda::wmma for 16 x 16 x 16 products of __half or __nv_bfloat16 with fp32 accumulators (CUDA C++ Programming Guide,
// Warp Matrix Functions). Which lane holds which element is not documented, so a program may only treat all elements of
// a fragment alike; here lane l holds half a row, elements 8 l ... 8 l + 7 row by row, which is not what a GPU does: a
// program that relies on a layout gives wrong answers. Fragments of __half hold every element twice, as on a GPU.

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };

template <typename T, int count>
struct harness_cpu_fragment {
  enum { num_elements = count };
  enum { num_storage_elements = count };
  typedef T element_type;
  typedef T storage_element_type;
  T x[count];
};
template <typename T>
inline constexpr int harness_cpu_operands = 0;
template <>
inline constexpr int harness_cpu_operands<__half> = 16;
template <>
inline constexpr int harness_cpu_operands<__nv_bfloat16> = 8;

template <typename Use, int m, int n, int k, typename T, typename Layout = void>
class fragment;
template <typename T, typename Layout>
class fragment<matrix_a, 16, 16, 16, T, Layout> : public harness_cpu_fragment<T, harness_cpu_operands<T>> {};
template <typename T, typename Layout>
class fragment<matrix_b, 16, 16, 16, T, Layout> : public harness_cpu_fragment<T, harness_cpu_operands<T>> {};
template <>
class fragment<accumulator, 16, 16, 16, float> : public harness_cpu_fragment<float, 8> {};

/// The documented demands on a matrix in memory: 32-byte alignment, rows (or columns) a multiple of 16 bytes apart.
template <typename T>
inline void harness_cpu_check_matrix(const T* matrix, unsigned ldm, const char* file, int line) {
  if (reinterpret_cast<unsigned long>(matrix) % 32 != 0)
    harness_cpu_fault(harness_cpu_illegal_access, "wmma needs a matrix at a multiple of 32 bytes", file, line);
  if (ldm * sizeof(T) % 16 != 0)
    harness_cpu_fault(harness_cpu_illegal_access, "wmma needs rows that lie a multiple of 16 bytes apart", file, line);
}
/// Where element i of the calling lane lies.
inline unsigned harness_cpu_element(int i, unsigned ldm, bool columns) {
  const unsigned element = 8 * harness_cpu_lane() + static_cast<unsigned>(i % 8), row = element / 16,
                 column = element % 16;
  return columns ? column * ldm + row : row * ldm + column;
}

template <typename Use, typename T, typename Layout>
inline void load_matrix_sync(fragment<Use, 16, 16, 16, T, Layout>& f, const T* matrix, unsigned ldm, HARNESS_CPU_SITE) {
  harness_cpu_check_matrix(matrix, ldm, file, line);
  for (int i = 0; i < f.num_elements; ++i)
    f.x[i] = matrix[harness_cpu_element(i, ldm, std::is_same_v<Layout, col_major>)];
}
inline void load_matrix_sync(fragment<accumulator, 16, 16, 16, float>& f, const float* matrix, unsigned ldm,
                             layout_t layout, HARNESS_CPU_SITE) {
  harness_cpu_check_matrix(matrix, ldm, file, line);
  for (int i = 0; i < f.num_elements; ++i) f.x[i] = matrix[harness_cpu_element(i, ldm, layout == mem_col_major)];
}
inline void store_matrix_sync(float* matrix, const fragment<accumulator, 16, 16, 16, float>& f, unsigned ldm,
                              layout_t layout, HARNESS_CPU_SITE) {
  harness_cpu_check_matrix(matrix, ldm, file, line);
  for (int i = 0; i < f.num_elements; ++i) matrix[harness_cpu_element(i, ldm, layout == mem_col_major)] = f.x[i];
}
template <typename Use, typename T, typename Layout, typename Value>
inline void fill_fragment(fragment<Use, 16, 16, 16, T, Layout>& f, const Value& value) {
  for (int i = 0; i < f.num_elements; ++i) f.x[i] = value;
}

template <typename T, typename LayoutA, typename LayoutB>
inline void mma_sync(fragment<accumulator, 16, 16, 16, float>& d, const fragment<matrix_a, 16, 16, 16, T, LayoutA>& a,
                     const fragment<matrix_b, 16, 16, 16, T, LayoutB>& b,
                     const fragment<accumulator, 16, 16, 16, float>& c, HARNESS_CPU_SITE) {
  harness_cpu_wmma(std::is_same_v<T, __nv_bfloat16>, d.x, a.x, b.x, c.x, file, line);
}

}  // namespace wmma
}  // namespace nvcuda
