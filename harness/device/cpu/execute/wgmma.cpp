#include "harness/device/cpu/execute/wgmma.h"

#include <fmt/format.h>

#include <cstring>

#include "harness/core/dtype.h"
#include "harness/device/cpu/execute/half_values.h"
#include "harness/device/cpu/execute/tensor_copy.h"

namespace harness::cpu {
namespace {

constexpr int kMostDeep = 32, kRows = 16;  // of one warp
constexpr int kBf16 = 1, kE4m3 = 2;
constexpr int kMostColumns = 256;

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

float widened(std::uint16_t bits, int type) {
  if (type == kE4m3) {
    const auto unit = static_cast<std::uint8_t>(bits);
    return static_cast<float>(load_as_double(Dtype::e4m3, &unit));
  }
  return type == kBf16 ? bf16_value(bits) : f16_value(bits);
}

float operand(const HarnessCpuWgmma& instruction, const char* window, std::uint64_t descriptor, int row, int k,
              bool mn_major) {
  const int bytes = element_bytes(instruction);
  std::uint16_t bits = 0;
  std::memcpy(&bits, window + operand_address(descriptor, row, k, mn_major, bytes), static_cast<std::size_t>(bytes));
  return widened(bits, instruction.type);
}

/// a[row][k] of the warp's 16 rows.
void gather_a(const WgmmaWork& work, const char* window, float (&a)[kRows][kMostDeep]) {
  const HarnessCpuWgmma& first = work.lanes[0];
  if (!first.a_registers) {
    for (int row = 0; row < kRows; ++row)
      for (int k = 0; k < depth_of(first); ++k)
        a[row][k] = operand(first, window, first.a, work.warp_in_group * kRows + row, k, false);
    return;
  }
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 8; ++i) {  // register i / 2 holds row l / 4 + 8 (r % 2), k 2 (l % 4) + 8 (r / 2) and the next
      const int r = i / 2;
      const auto bits = static_cast<std::uint16_t>(work.a_registers[lane][r] >> 16 * (i % 2));
      a[lane / 4 + 8 * (r % 2)][2 * (lane % 4) + 8 * (r / 2) + i % 2] = widened(bits, first.type);
    }
}

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
  const auto size = static_cast<std::uint32_t>(bytes), in_unit = 16 / size;
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
  for (int n = 0; n < first.n; ++n)
    for (int k = 0; k < depth; ++k) b[k][n] = operand(first, window, first.b, n, k, first.b_transposed);
  const auto for_each_accumulator = [&](auto body) {
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < first.n / 2; ++i)
        body(work.lanes[lane].d[i], d[lane / 4 + 8 * (i / 2 % 2)][8 * (i / 4) + 2 * (lane % 4) + i % 2]);
  };
  for_each_accumulator([&](const float& held, float& value) { value = first.accumulate ? held : 0; });
  for (int row = 0; row < kRows; ++row)
    for (int k = 0; k < depth; ++k)
      for (int n = 0; n < first.n; ++n) d[row][n] += a[row][k] * b[k][n];
  for_each_accumulator([](float& held, const float& value) { held = value; });
}

}  // namespace harness::cpu
