#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"

// nvcuda::wmma for 16 x 16 x 16 products of __half or __nv_bfloat16 with fp32 accumulators (CUDA C++ Programming Guide,
// Warp Matrix Functions). Which lane holds which element is not documented, so a program may only treat all elements of
// a fragment alike; which one a lane holds here is not what a GPU does: a program that relies on a layout gives wrong
// answers. Fragments of __half hold every element twice, as on a GPU. Which lane asks memory for what no program can
// tell, but a GPU's counters can, and here it is as they say (docs/profile.md): of an operand lane l asks for half a
// row (of a col_major one, a column), row l % 16 and half l / 16, as in an ldmatrix; of an accumulator for pairs of
// neighbours, in rows l / 4 and l / 4 + 8.

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
struct alignas(8) harness_cpu_two_floats {
  float at[2];
};
/// Where the half of a row or column begins that the calling lane asks for.
inline unsigned harness_cpu_half_line(unsigned ldm) {
  return harness_cpu_lane() % 16 * ldm + harness_cpu_lane() / 16 * 8;
}
/// Row and column of the first of two neighbours in the calling lane's part of an accumulator, pairs 0 to 3.
inline unsigned harness_cpu_pair_row(int pair) {
  return harness_cpu_lane() / 4 + static_cast<unsigned>(pair) % 2 * 8;
}
inline unsigned harness_cpu_pair_column(int pair) {
  return harness_cpu_lane() % 4 * 2 + static_cast<unsigned>(pair) / 2 * 8;
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
  for (int pair = 0; pair < 4; ++pair) {
    const unsigned row = harness_cpu_pair_row(pair), column = harness_cpu_pair_column(pair);
    if (layout == mem_col_major) {
      f.x[pair] = matrix[column * ldm + row];
      f.x[pair + 4] = matrix[(column + 1) * ldm + row];
      continue;
    }
    const auto two = *reinterpret_cast<const harness_cpu_two_floats*>(matrix + row * ldm + column);
    f.x[pair] = two.at[0];
    f.x[pair + 4] = two.at[1];
  }
}
inline void store_matrix_sync(float* matrix, const fragment<accumulator, 16, 16, 16, float>& f, unsigned ldm,
                              layout_t layout, HARNESS_CPU_SITE) {
  harness_cpu_check_matrix(matrix, ldm, file, line);
  for (int pair = 0; pair < 4; ++pair) {
    const unsigned row = harness_cpu_pair_row(pair), column = harness_cpu_pair_column(pair);
    if (layout == mem_col_major) {
      matrix[column * ldm + row] = f.x[pair];
      matrix[(column + 1) * ldm + row] = f.x[pair + 4];
      continue;
    }
    harness_cpu_two_floats two;
    two.at[0] = f.x[pair];
    two.at[1] = f.x[pair + 4];
    *reinterpret_cast<harness_cpu_two_floats*>(matrix + row * ldm + column) = two;
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
