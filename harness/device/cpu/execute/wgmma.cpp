#include "harness/device/cpu/execute/wgmma.h"

#include <fmt/format.h>

#include <cstring>
#include <type_traits>

#include "harness/core/dtype.h"
#include "harness/device/cpu/execute/half_values.h"
#include "harness/device/cpu/execute/tensor_copy.h"

namespace harness::cpu {
namespace {

constexpr int kMostDeep = 32, kRows = 16;  // of one warp
constexpr int kF16 = 0, kBf16 = 1, kE4m3 = 2;
constexpr int kMostColumns = 256, kStrip = 8;  // N counts in eights

int span_of(std::uint64_t descriptor) {
  constexpr int kSpans[] = {0, 128, 64, 32};
  return kSpans[descriptor >> 62];
}
std::uint32_t field(std::uint64_t descriptor, int shift) {  // addresses and strides count 16 bytes
  return static_cast<std::uint32_t>(descriptor >> shift & 0x3fff) << 4;
}

std::uint32_t start_address(std::uint64_t descriptor) {  // bits 52 to 61, unused by hardware: see wgmma.cuh
  return field(descriptor, 0) | static_cast<std::uint32_t>(descriptor >> 52 & 0x3ff) << 18;
}

template <int kType>
float widened(const char* place) {
  if constexpr (kType == kE4m3) return static_cast<float>(load_as_double(Dtype::e4m3, place));
  std::uint16_t bits = 0;
  std::memcpy(&bits, place, sizeof bits);
  return kType == kBf16 ? bf16_value(bits) : f16_value(bits);
}

/// Calls `body` with the type as a constant: it is asked for every element.
template <typename F>
void with_type(const HarnessCpuWgmma& instruction, F&& body) {
  switch (instruction.type) {
    case kE4m3:
      return body(std::integral_constant<int, kE4m3>());
    case kBf16:
      return body(std::integral_constant<int, kBf16>());
    default:
      return body(std::integral_constant<int, kF16>());
  }
}

/// Puts the elements that `descriptor` describes, of `rows` rows from `first_row` on, where `at` (row, k) says.
template <typename At>
void gather(const HarnessCpuWgmma& instruction, const char* window, std::uint64_t descriptor, int first_row, int rows,
            bool mn_major, At&& at) {
  const int bytes = element_bytes(instruction), elements = kUnitBytes / bytes;
  const OperandUnits units(rows, depth_of(instruction), mn_major, bytes);
  with_type(instruction, [&](auto type) {
    for (int i = 0; i < units.count(); ++i) {
      const auto [row, k] = units.begins_at(i);
      const char* const unit = window + operand_address(descriptor, first_row + row, k, mn_major, bytes);
      for (int j = 0; j < elements; ++j)
        at(mn_major ? row + j : row, mn_major ? k : k + j) = widened<type()>(unit + j * bytes);
    }
  });
}

/// a[row][k] of the warp's 16 rows.
void gather_a(const WgmmaWork& work, const char* window, float (&a)[kRows][kMostDeep]) {
  const HarnessCpuWgmma& first = work.lanes[0];
  const auto place = [&](int row, int k) -> float& { return a[row][k]; };
  if (!first.a_registers) return gather(first, window, first.a, work.warp_in_group * kRows, kRows, false, place);
  with_type(first, [&](auto type) {
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 8; ++i) {  // register i / 2 holds row l / 4 + 8 (r % 2), k 2 (l % 4) + 8 (r / 2) and the next
        const int r = i / 2;
        const auto bits = static_cast<std::uint16_t>(work.a_registers[lane][r] >> 16 * (i % 2));
        place(lane / 4 + 8 * (r % 2), 2 * (lane % 4) + 8 * (r / 2) + i % 2) =
            widened<type()>(reinterpret_cast<const char*>(&bits));
      }
  });
}

/// d += a b, each sum in the order of k. A strip of columns stays in registers meanwhile: this loop is most of what an
/// emulated tile costs.
[[gnu::always_inline]] inline void multiply_strips(const float (&a)[kRows][kMostDeep],
                                                   const float (&b)[kMostDeep][kMostColumns],
                                                   float (&d)[kRows][kMostColumns], int columns, int depth) {
  using Strip [[gnu::vector_size(kStrip * sizeof(float))]] = float;
  for (int n = 0; n < columns; n += kStrip)
    for (int row = 0; row < kRows; ++row) {
      Strip sum;
      std::memcpy(&sum, &d[row][n], sizeof sum);
      for (int k = 0; k < depth; ++k) {
        Strip other;
        std::memcpy(&other, &b[k][n], sizeof other);
        sum += a[row][k] * other;
      }
      std::memcpy(&d[row][n], &sum, sizeof sum);
    }
}

using Multiply = void(const float (&)[kRows][kMostDeep], const float (&)[kMostDeep][kMostColumns],
                      float (&)[kRows][kMostColumns], int, int);

void multiply_anywhere(const float (&a)[kRows][kMostDeep], const float (&b)[kMostDeep][kMostColumns],
                       float (&d)[kRows][kMostColumns], int columns, int depth) {
  multiply_strips(a, b, d, columns, depth);
}

#ifdef __x86_64__
/// The same bits: without FMA.
[[gnu::target("avx2")]] void multiply_avx2(const float (&a)[kRows][kMostDeep],
                                           const float (&b)[kMostDeep][kMostColumns], float (&d)[kRows][kMostColumns],
                                           int columns, int depth) {
  multiply_strips(a, b, d, columns, depth);
}
Multiply& best_multiply() {
  return __builtin_cpu_supports("avx2") ? multiply_avx2 : multiply_anywhere;
}
#else
Multiply& best_multiply() {
  return multiply_anywhere;
}
#endif

}  // namespace

int element_bytes(const HarnessCpuWgmma& instruction) {
  return instruction.type == kE4m3 ? 1 : 2;
}
int depth_of(const HarnessCpuWgmma& instruction) {
  return 32 / element_bytes(instruction);
}

std::uint32_t operand_address(std::uint64_t descriptor, int row, int k, bool mn_major, int bytes) {
  const int span = span_of(descriptor);
  const std::uint32_t leading = field(descriptor, 16), stride = field(descriptor, 32);
  const auto major = static_cast<std::uint32_t>(mn_major ? row : k),
             minor = static_cast<std::uint32_t>(mn_major ? k : row);
  const auto size = static_cast<std::uint32_t>(bytes), in_unit = kUnitBytes / size;
  const std::uint32_t unit = major / in_unit;  // 16 bytes each
  std::uint32_t offset = size * (major % in_unit);
  if (span == 0) {
    offset += 16 * (minor % 8);
    offset += mn_major ? unit * stride + minor / 8 * leading : unit * leading + minor / 8 * stride;
  } else {
    const auto units = static_cast<std::uint32_t>(span / 16);
    offset += 16 * (unit % units) + unit / units * leading;
    offset += static_cast<std::uint32_t>(span) * (minor % 8) + minor / 8 * stride;
  }
  return swizzled(start_address(descriptor) + offset, span);
}

std::string wgmma_problem(const HarnessCpuWgmma& instruction) {
  if (instruction.n < 8 || instruction.n > kMostColumns || instruction.n % 8 != 0)
    return fmt::format("wgmma with N = {}; multiples of 8 up to 256 are possible", instruction.n);
  if (instruction.type == kE4m3 && (instruction.b_transposed || instruction.a_registers))
    return "wgmma of 8-bit types with a transposed B, or with A in registers that nobody has described here";
  for (const std::uint64_t descriptor :
       {std::uint64_t{instruction.a_registers ? 0 : instruction.a}, std::uint64_t{instruction.b}})
    if ((descriptor >> 49 & 7) != 0)
      return "a matrix descriptor with a base offset; align the tile to its swizzle atom";
  return "";
}

void execute_wgmma(const WgmmaWork& work, const char* window) {
  const HarnessCpuWgmma& first = work.lanes[0];
  const int depth = depth_of(first);
  float a[kRows][kMostDeep], b[kMostDeep][kMostColumns], d[kRows][kMostColumns];
  gather_a(work, window, a);
  gather(first, window, first.b, 0, first.n, first.b_transposed,
         [&](int column, int k) -> float& { return b[k][column]; });
  const auto for_each_accumulator = [&](auto body) {
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < first.n / 2; ++i)
        body(work.lanes[lane].d[i], d[lane / 4 + 8 * (i / 2 % 2)][8 * (i / 4) + 2 * (lane % 4) + i % 2]);
  };
  for_each_accumulator([&](const float& held, float& value) { value = first.accumulate ? held : 0; });
  static Multiply& multiply_of_machine = best_multiply();
  multiply_of_machine(a, b, d, first.n, depth);
  for_each_accumulator([](float& held, const float& value) { held = value; });
}

}  // namespace harness::cpu
