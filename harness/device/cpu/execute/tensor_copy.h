#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/tensor_map.h"
#include "harness/device/cpu/guest/harness_cpu/abi.h"

namespace harness::cpu {

/// The 128 bytes that stand for the descriptor of a tensor at `base`. Throws LaunchRefused where the hardware could not
/// encode it.
std::vector<std::byte> encode_tensor_map(const TensorMap& map, char* base);

/// One of the rows of a box: bytes next to each other, of which [begin, end) lie in the tensor. `shared` counts from
/// the box's start, before swizzling.
struct BoxRow {
  char* global = nullptr;  // of the row's first byte, be it in the tensor or not
  std::size_t shared = 0, begin = 0, end = 0, bytes = 0;
};
std::vector<BoxRow> rows_of_box(const HarnessCpuTensorMap& map, const int* coordinates);
std::size_t box_bytes(const HarnessCpuTensorMap& map);

/// Where a byte of a swizzled tile lies: bits 4-6 of its address are xored with bits 7-9 (128-byte span), bits 4-5 with
/// 7-8 (64), bit 4 with bit 7 (32). CUDA programming guide, "TMA swizzle".
constexpr std::uint32_t swizzled(std::uint32_t shared_address, int span) {
  return span == 0 ? shared_address : shared_address ^ ((shared_address >> 3) & static_cast<std::uint32_t>(span - 16));
}

/// Copies between global memory and the box at `address` of the block's shared window, which begins at `window`.
void load_box(const HarnessCpuTensorMap& map, const std::vector<BoxRow>& rows, char* window, std::uint32_t address);
void store_box(const HarnessCpuTensorMap& map, const std::vector<BoxRow>& rows, const char* window,
               std::uint32_t address);

}  // namespace harness::cpu
