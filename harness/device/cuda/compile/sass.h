#pragma once
#include <string_view>
#include <vector>

#include "harness/predict/warp_instruction.h"

// Machine code of sm_70 to sm_90, as far as it is needed without a disassembler. NVIDIA does not document its encoding.
// Source: the encoder of Mesa's compiler for these GPUs (src/nouveau/compiler/nak/sm70_encode.rs): an instruction has
// 128 bits; 0 to 11 are the operation (of arithmetic, 9 to 11 say where operands come from), 12 to 15 the predicate,
// 73 to 75 are how much an access moves, or the type of an atomic operation, 105 to 108 the cycles until the next
// instruction may be issued, 110 to 112 the scoreboard that is held until the result has come, 116 to 121 those that
// the instruction waits for. What is new in sm_90 (HGMMA with its columns and groups, stmatrix, bulk copies, VIADD, the
// eight low bits of a branch's offset) was found in code that NVRTC 13.0 makes of kernels that use it.
namespace harness::cuda {

/// A function's instructions; bytes that make no whole instruction are left out.
std::vector<WarpInstruction> decode_sass(std::string_view code);

}  // namespace harness::cuda
