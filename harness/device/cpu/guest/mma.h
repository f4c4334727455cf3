#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"

// nvcuda::wmma for 16 x 16 x 16 products of __half or __nv_bfloat16 with fp32 accumulators (CUDA C++ Programming Guide,
// Warp Matrix Functions). Which lane holds which element is not documented, so a program may only treat all elements of
// a fragment alike; here lane l holds half a row, elements 8 l ... 8 l + 7 row by row (of a col_major operand, column
// by column), which is not what a GPU does: a program that relies on a layout gives wrong answers. Fragments of __half
// hold every element twice, as on a GPU. Neighbours in memory are one access of 16 bytes: so a warp makes one request
// for an operand and two for an accumulator, where a GPU has an ldmatrix, and four stores of 8 bytes.

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
struct alignas(16) harness_cpu_sixteen_bytes {
  unsigned words[4];
};
/// Where the calling lane's half of a row or column begins.
inline unsigned harness_cpu_half_line(unsigned ldm) {
  return harness_cpu_lane() / 2 * ldm + harness_cpu_lane() % 2 * 8;
}
/// Where element i of the calling lane lies in a matrix by columns.
inline unsigned harness_cpu_in_column(int i, unsigned ldm) {
  return (harness_cpu_lane() % 2 * 8 + static_cast<unsigned>(i)) * ldm + harness_cpu_lane() / 2;
}

template <typename Use, typename T, typename Layout>
inline void load_matrix_sync(fragment<Use, 16, 16, 16, T, Layout>& f, const T* matrix, unsigned ldm, HARNESS_CPU_SITE) {
  harness_cpu_check_matrix(matrix, ldm, file, line);
  const auto half = *reinterpret_cast<const harness_cpu_sixteen_bytes*>(matrix + harness_cpu_half_line(ldm));
  for (int i = 0; i < f.num_elements; i += 8) __builtin_memcpy(f.x + i, &half, sizeof half);
}
inline void load_matrix_sync(fragment<accumulator, 16, 16, 16, float>& f, const float* matrix, unsigned ldm,
                             layout_t layout, HARNESS_CPU_SITE) {
  harness_cpu_check_matrix(matrix, ldm, file, line);
  if (layout == mem_col_major) {
    for (int i = 0; i < f.num_elements; ++i) f.x[i] = matrix[harness_cpu_in_column(i, ldm)];
    return;
  }
  for (int i = 0; i < f.num_elements; i += 4) {
    const auto quarter = *reinterpret_cast<const harness_cpu_sixteen_bytes*>(matrix + harness_cpu_half_line(ldm) + i);
    __builtin_memcpy(f.x + i, &quarter, sizeof quarter);
  }
}
inline void store_matrix_sync(float* matrix, const fragment<accumulator, 16, 16, 16, float>& f, unsigned ldm,
                              layout_t layout, HARNESS_CPU_SITE) {
  harness_cpu_check_matrix(matrix, ldm, file, line);
  if (layout == mem_col_major) {
    for (int i = 0; i < f.num_elements; ++i) matrix[harness_cpu_in_column(i, ldm)] = f.x[i];
    return;
  }
  for (int i = 0; i < f.num_elements; i += 4) {
    harness_cpu_sixteen_bytes quarter;
    __builtin_memcpy(&quarter, f.x + i, sizeof quarter);
    *reinterpret_cast<harness_cpu_sixteen_bytes*>(matrix + harness_cpu_half_line(ldm) + i) = quarter;
  }
}
template <typename Use, typename T, typename Layout, typename Value>
inline void fill_fragment(fragment<Use, 16, 16, 16, T, Layout>& f, const Value& value) {
  for (int i = 0; i < f.num_elements; ++i) f.x[i] = value;
}

template <typename T, typename LayoutA, typename LayoutB>
inline void mma_sync(fragment<accumulator, 16, 16, 16, float>& d, const fragment<matrix_a, 16, 16, 16, T, LayoutA>& a,
                     const fragment<matrix_b, 16, 16, 16, T, LayoutB>& b,
                     const fragment<accumulator, 16, 16, 16, float>& c, HARNESS_CPU_SITE) {
  harness_cpu_wmma(std::is_same_v<T, __nv_bfloat16>, d.x, a.x, std::is_same_v<LayoutA, col_major>, b.x,
                   std::is_same_v<LayoutB, col_major>, c.x, file, line);
}

}  // namespace wmma
}  // namespace nvcuda
