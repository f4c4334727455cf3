#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

// One kernel for each instruction that kernels/include/harness wraps, with what it must give, written from the layouts
// of the PTX ISA and exact: the cpu device and a GPU run the same text and are compared with the same bits.
// Every entry is `(const unsigned* in, unsigned* out)`, one block of one warp.
namespace harness::test {

inline const char* const kInstructionSource = R"(
#include <mma.h>
#include <harness/cp_async.cuh>
#include <harness/exp2.cuh>
#include <harness/ldmatrix.cuh>
#include <harness/mma.cuh>
#include <harness/pack.cuh>

// in: A 16 x 16, B 16 x 8 (elements of T, row by row), then D 16 x 8 in fp32.
template <class T> __global__ void mma(const unsigned* in, unsigned* out) {
  const unsigned short* a = reinterpret_cast<const unsigned short*>(in);
  const unsigned short* b = a + 256;
  const float* c = reinterpret_cast<const float*>(in + 192);
  const int group = threadIdx.x / 4, pair = threadIdx.x % 4;
  unsigned ra[4], rb[2];
  float d[4];
  for (int i = 0; i < 4; ++i) {
    const int row = group + i % 2 * 8, column = 2 * pair + i / 2 * 8;
    ra[i] = a[16 * row + column] | static_cast<unsigned>(a[16 * row + column + 1]) << 16;
    d[i] = c[8 * (group + i / 2 * 8) + 2 * pair + i % 2];
  }
  for (int i = 0; i < 2; ++i) {
    const int row = 2 * pair + 8 * i;
    rb[i] = b[8 * row + group] | static_cast<unsigned>(b[8 * (row + 1) + group]) << 16;
  }
  harness::mma_m16n8k16<T>(d, ra, rb[0], rb[1]);
  for (int i = 0; i < 4; ++i) out[8 * (group + i / 2 * 8) + 2 * pair + i % 2] = __float_as_uint(d[i]);
}

// in: 32 rows of 8 elements. Row i of the matrices is row 5 i of the tile (modulo 32).
template <int COUNT, bool TRANS> __global__ void ldmatrix(const unsigned* in, unsigned* out) {
  __shared__ __align__(16) unsigned tile[128];
  for (int i = 0; i < 4; ++i) tile[threadIdx.x + 32 * i] = in[threadIdx.x + 32 * i];
  __syncthreads();
  const void* row = tile + 4 * (5 * threadIdx.x % 32);
  unsigned r[COUNT];
  if constexpr (COUNT == 1 && !TRANS) harness::ldmatrix_x1(r, row);
  if constexpr (COUNT == 1 && TRANS) harness::ldmatrix_x1_trans(r, row);
  if constexpr (COUNT == 2 && !TRANS) harness::ldmatrix_x2(r, row);
  if constexpr (COUNT == 2 && TRANS) harness::ldmatrix_x2_trans(r, row);
  if constexpr (COUNT == 4 && !TRANS) harness::ldmatrix_x4(r, row);
  if constexpr (COUNT == 4 && TRANS) harness::ldmatrix_x4_trans(r, row);
  for (int m = 0; m < COUNT; ++m) out[COUNT * threadIdx.x + m] = r[m];
}

// in: 4 registers of each lane. out: 32 rows of 8 elements, row i of the matrices in row 5 i.
template <bool TRANS> __global__ void stmatrix(const unsigned* in, unsigned* out) {
  __shared__ __align__(16) unsigned tile[128];
  unsigned r[4];
  for (int m = 0; m < 4; ++m) r[m] = in[4 * threadIdx.x + m];
  void* row = tile + 4 * (5 * threadIdx.x % 32);
  if constexpr (TRANS) harness::stmatrix_x4_trans(row, r);
  else harness::stmatrix_x4(row, r);
  __syncthreads();
  for (int i = 0; i < 4; ++i) out[threadIdx.x + 32 * i] = tile[threadIdx.x + 32 * i];
}

// Each lane copies its own BYTES, of which lane % (BYTES + 1) are valid.
template <int BYTES> __global__ void copy(const unsigned* in, unsigned* out) {
  __shared__ __align__(16) unsigned tile[128];
  constexpr int kWords = BYTES / 4;
  harness::cp_async<BYTES>(tile + kWords * threadIdx.x, in + kWords * threadIdx.x, threadIdx.x % (BYTES + 1));
  harness::cp_async_wait_all();
  for (int i = 0; i < kWords; ++i) out[kWords * threadIdx.x + i] = tile[kWords * threadIdx.x + i];
}

// Three stages on the way through 16 rows of 32 words, each lane its own; sums of row times number.
__global__ void pipeline(const unsigned* in, unsigned* out) {
  __shared__ __align__(16) unsigned stages[3][32];
  for (int row = 0; row < 2; ++row) {
    harness::cp_async<4>(&stages[row][threadIdx.x], in + 32 * row + threadIdx.x);
    harness::cp_async_commit();
  }
  unsigned sum = 0;
  for (int row = 0; row < 16; ++row) {
    if (row + 2 < 16) harness::cp_async<4>(&stages[(row + 2) % 3][threadIdx.x], in + 32 * (row + 2) + threadIdx.x);
    harness::cp_async_commit();
    harness::cp_async_wait<2>();
    sum += (row + 1) * stages[row % 3][threadIdx.x];
  }
  out[threadIdx.x] = sum;
}

// in: pairs of floats.
template <class T> __global__ void pack(const unsigned* in, unsigned* out) {
  out[threadIdx.x] = harness::pack<T>(__uint_as_float(in[2 * threadIdx.x]), __uint_as_float(in[2 * threadIdx.x + 1]));
}

// in: A and B, 16 x 16 elements of T, row by row. out: 2 (A B + A B' + 1), in rows and then in columns.
template <class T> __global__ void wmma(const unsigned* in, unsigned* out) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, T, row_major> a;
  fragment<matrix_b, 16, 16, 16, T, row_major> b;
  fragment<matrix_b, 16, 16, 16, T, col_major> b_again;
  fragment<accumulator, 16, 16, 16, float> one, d;
  load_matrix_sync(a, reinterpret_cast<const T*>(in), 16);
  load_matrix_sync(b, reinterpret_cast<const T*>(in + 128), 16);
  load_matrix_sync(b_again, reinterpret_cast<const T*>(in + 128), 16);
  fill_fragment(one, 1.0f);
  mma_sync(d, a, b, one);
  mma_sync(d, a, b_again, d);
  for (int i = 0; i < d.num_elements; ++i) d.x[i] *= 2.0f;
  store_matrix_sync(reinterpret_cast<float*>(out), d, 16, mem_row_major);
  store_matrix_sync(reinterpret_cast<float*>(out) + 256, d, 16, mem_col_major);
}

__global__ void exp2_of(const unsigned* in, unsigned* out) {
  out[threadIdx.x] = __float_as_uint(harness::exp2_approx(__uint_as_float(in[threadIdx.x])));
}
__global__ void exp2_polynomial_of(const unsigned* in, unsigned* out) {
  out[threadIdx.x] = __float_as_uint(harness::exp2_polynomial(__uint_as_float(in[threadIdx.x])));
}
)";

struct InstructionCase {
  std::string entry;
  std::vector<std::uint32_t> in, expected;
};

/// "" or where two results begin to differ.
inline std::string difference(const std::vector<std::uint32_t>& got, const std::vector<std::uint32_t>& expected) {
  if (got.size() != expected.size()) return "sizes differ";
  for (std::size_t i = 0; i < got.size(); ++i)
    if (got[i] != expected[i])
      return "word " + std::to_string(i) + " is " + std::to_string(got[i]) + ", not " + std::to_string(expected[i]);
  return "";
}

inline std::uint32_t bits_of(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

/// 16-bit elements as words, the first in the lower half.
inline std::vector<std::uint32_t> words_of(const std::vector<std::uint16_t>& elements) {
  std::vector<std::uint32_t> words(elements.size() / 2);
  std::memcpy(words.data(), elements.data(), 2 * elements.size());
  return words;
}

/// A whole number of at most 8 bits, as f16 or bf16.
inline std::uint16_t small_integer(int value, bool bf16) {
  if (bf16) return static_cast<std::uint16_t>(bits_of(static_cast<float>(value)) >> 16);
  const std::uint32_t bits = bits_of(static_cast<float>(value));
  if (value == 0) return 0;
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
  const auto magnitude = static_cast<std::uint16_t>((bits >> 13 & 0x3ffffu) - (112u << 10));
  return static_cast<std::uint16_t>(sign | magnitude);
}

/// Small integers that differ with both arguments.
inline int sample(int i, int j) {
  return (37 * i + 101 * j + 11) % 23 - 11;
}

inline InstructionCase mma_case(bool bf16) {
  InstructionCase test{bf16 ? "mma<__nv_bfloat16>" : "mma<__half>", {}, {}};
  std::vector<std::uint16_t> elements;
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 16; ++column) elements.push_back(small_integer(sample(row, column), bf16));
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) elements.push_back(small_integer(sample(column, 3 * row), bf16));
  test.in = words_of(elements);
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) {
      int sum = 1000 * row + column;
      test.in.push_back(bits_of(static_cast<float>(sum)));
      for (int k = 0; k < 16; ++k) sum += sample(row, k) * sample(column, 3 * k);
      test.expected.push_back(bits_of(static_cast<float>(sum)));
    }
  return test;
}

/// 2 (A B + A B' + 1), in rows and then in columns.
inline InstructionCase wmma_case(bool bf16) {
  InstructionCase test{bf16 ? "wmma<__nv_bfloat16>" : "wmma<__half>", {}, std::vector<std::uint32_t>(512)};
  std::vector<std::uint16_t> elements;
  for (int matrix = 0; matrix < 2; ++matrix)
    for (int row = 0; row < 16; ++row)
      for (int column = 0; column < 16; ++column)
        elements.push_back(small_integer(matrix ? sample(column, 3 * row) : sample(row, column), bf16));
  test.in = words_of(elements);
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 16; ++column) {
      int sum = 1;
      for (int k = 0; k < 16; ++k) sum += sample(row, k) * (sample(column, 3 * k) + sample(k, 3 * column));
      test.expected[static_cast<std::size_t>(16 * row + column)] = bits_of(static_cast<float>(2 * sum));
      test.expected[static_cast<std::size_t>(256 + 16 * column + row)] = bits_of(static_cast<float>(2 * sum));
    }
  return test;
}

/// The tile of the matrix instructions: element e of row r is 256 + 8 r + e.
inline std::uint32_t tile_element(int row, int element) {
  return 256u + 8u * static_cast<std::uint32_t>(row) + static_cast<std::uint32_t>(element);
}
inline std::vector<std::uint32_t> numbered_tile() {
  std::vector<std::uint16_t> elements;
  for (int row = 0; row < 32; ++row)
    for (int e = 0; e < 8; ++e) elements.push_back(static_cast<std::uint16_t>(tile_element(row, e)));
  return words_of(elements);
}

/// What register m of a lane holds of matrices whose row i is row 5 i of the numbered tile.
inline std::uint32_t matrix_register(int lane, int m, bool transposed) {
  std::uint32_t word = 0;
  for (int i = 0; i < 2; ++i) {
    const int fixed = lane / 4, moving = lane % 4 * 2 + i;
    const int row = 8 * m + (transposed ? moving : fixed);
    word |= tile_element(5 * row % 32, transposed ? fixed : moving) << 16 * i;
  }
  return word;
}

inline InstructionCase ldmatrix_case(int count, bool transposed) {
  InstructionCase test{"ldmatrix<" + std::to_string(count) + (transposed ? ",true>" : ",false>"), numbered_tile(), {}};
  for (int lane = 0; lane < 32; ++lane)
    for (int m = 0; m < count; ++m) test.expected.push_back(matrix_register(lane, m, transposed));
  return test;
}

inline InstructionCase stmatrix_case(bool transposed) {
  InstructionCase test{transposed ? "stmatrix<true>" : "stmatrix<false>", {}, numbered_tile()};
  for (int lane = 0; lane < 32; ++lane)
    for (int m = 0; m < 4; ++m) test.in.push_back(matrix_register(lane, m, transposed));
  return test;
}

inline InstructionCase copy_case(int bytes) {
  InstructionCase test{"copy<" + std::to_string(bytes) + ">", {}, {}};
  for (int i = 0; i < 8 * bytes; ++i) test.in.push_back(0x01010101u * static_cast<std::uint32_t>(i + 1));
  test.expected = test.in;
  auto* const copied = reinterpret_cast<unsigned char*>(test.expected.data());
  for (int lane = 0; lane < 32; ++lane)
    for (int i = lane % (bytes + 1); i < bytes; ++i) copied[bytes * lane + i] = 0;
  return test;
}

inline InstructionCase pipeline_case() {
  InstructionCase test{"pipeline", {}, std::vector<std::uint32_t>(32)};
  for (std::uint32_t row = 0; row < 16; ++row)
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      test.in.push_back(1000 * row + lane);
      test.expected[lane] += (row + 1) * (1000 * row + lane);
    }
  return test;
}

/// Values beside ties, where a truncation or an exchange of the halves shows.
inline InstructionCase pack_case(bool bf16) {
  InstructionCase test{bf16 ? "pack<__nv_bfloat16>" : "pack<__half>", {}, {}};
  const std::uint32_t one = bf16 ? 0x3f80u : 0x3c00u, last = bf16 ? 0x10000u : 0x2000u, half = last / 2;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint32_t tie = 0x3f800000u + lane * last + half;
    test.in.push_back(tie);                      // to even
    test.in.push_back((tie + 1) | 0x80000000u);  // up, with a sign
    test.expected.push_back((one + lane + lane % 2) | ((one + lane + 1) | 0x8000u) << 16);
  }
  return test;
}

inline std::vector<InstructionCase> instruction_cases() {
  std::vector<InstructionCase> cases = {mma_case(false), mma_case(true)};
  for (const bool bf16 : {false, true}) cases.push_back(wmma_case(bf16));
  for (const int count : {1, 2, 4})
    for (const bool transposed : {false, true}) cases.push_back(ldmatrix_case(count, transposed));
  for (const bool transposed : {false, true}) cases.push_back(stmatrix_case(transposed));
  for (const int bytes : {4, 8, 16}) cases.push_back(copy_case(bytes));
  cases.push_back(pipeline_case());
  for (const bool bf16 : {false, true}) cases.push_back(pack_case(bf16));
  return cases;
}

/// Also two that have no case: their last bits are a machine's own, or nobody's promise.
inline std::vector<std::string> instruction_entries() {
  std::vector<std::string> entries = {"exp2_of", "exp2_polynomial_of"};
  for (const InstructionCase& test : instruction_cases()) entries.push_back(test.entry);
  return entries;
}

/// What the headers state of the two.
constexpr double kExp2Error = 0x1p-22, kExp2PolynomialError = 1.02e-4;

/// Arguments of exp2_of, and whether `got` are their powers of two but for a relative `error` (0 below the normal
/// numbers).
inline std::vector<std::uint32_t> exp2_arguments() {
  std::vector<std::uint32_t> arguments = {bits_of(-std::numeric_limits<float>::infinity()), bits_of(-127.5f)};
  for (int i = 0; i < 30; ++i) arguments.push_back(bits_of(-20.0f + 1.37f * static_cast<float>(i)));
  return arguments;
}
inline bool are_powers_of_two(const std::vector<std::uint32_t>& got, double error) {
  const std::vector<std::uint32_t> arguments = exp2_arguments();
  for (std::size_t i = 0; i < got.size(); ++i) {
    float x, y;
    std::memcpy(&x, &arguments[i], 4);
    std::memcpy(&y, &got[i], 4);
    const double exact = i < 2 ? 0 : std::exp2(static_cast<double>(x));
    if (std::abs(y - exact) > exact * error) return false;
  }
  return got.size() == arguments.size();
}

}  // namespace harness::test
