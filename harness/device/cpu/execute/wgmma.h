#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/device/cpu/guest/harness_cpu/abi.h"

namespace harness::cpu {

/// wgmma.mma_async of shape m64nNk16, or m64nNk32 of 8-bit types, (PTX ISA, "Asynchronous Warpgroup Level Matrix
/// Instructions") as one warp of the four sees it: it makes 16 of the 64 rows. Fragment of D: lane l holds rows l / 4
/// and l / 4 + 8, columns 8 j + 2 (l % 4) and the next, as d[4 j] to d[4 j + 3]. A in registers: the fragment of
/// mma.m16n8k16.
struct WgmmaWork {
  std::array<HarnessCpuWgmma, 32> lanes;
  std::array<std::array<unsigned, 4>, 32> a_registers;  // copied at the issue: the hardware has read them by then
  int warp_in_group = 0;
};

/// Where the operand that `descriptor` describes has its element (row of the M or N dimension, k), in bytes of the
/// shared window. `bytes`: of an element, 1 or 2. `mn_major`: neighbours in memory differ in M or N rather than in k
/// ("transposed"). Canonical layouts of the PTX ISA: within a swizzle atom of 8 rows, strides between atoms from the
/// descriptor.
std::uint32_t operand_address(std::uint64_t descriptor, int row, int k, bool mn_major, int bytes = 2);

/// An operand as units of 16 bytes, which no layout tears apart: neighbours of k of one row or, `mn_major`, neighbours
/// of rows at one k.
constexpr int kUnitBytes = 16;
class OperandUnits {
 public:
  OperandUnits(int rows, int depth, bool mn_major, int bytes)
      : per_line_((mn_major ? rows : depth) * bytes / kUnitBytes),
        lines_(mn_major ? depth : rows),
        mn_major_(mn_major),
        elements_(kUnitBytes / bytes) {}
  int count() const { return lines_ * per_line_; }
  /// Row and k of the first element of unit `i`.
  std::pair<int, int> begins_at(int i) const {
    const int line = i / per_line_, along = i % per_line_ * elements_;
    return mn_major_ ? std::pair(along, line) : std::pair(line, along);
  }

 private:
  int per_line_, lines_;
  bool mn_major_;
  int elements_;
};

/// Bytes of an element, and values of k in one instruction, which are 32 bytes.
int element_bytes(const HarnessCpuWgmma& instruction);
int depth_of(const HarnessCpuWgmma& instruction);

/// Why the hardware would not take it, or "".
std::string wgmma_problem(const HarnessCpuWgmma& instruction);

/// Multiplies and accumulates in fp32. `window` is the block's shared memory.
void execute_wgmma(const WgmmaWork& work, const char* window);

}  // namespace harness::cpu
