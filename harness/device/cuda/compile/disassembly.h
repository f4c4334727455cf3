#pragma once
#include <string>

#include "harness/core/device.h"
#include "harness/system/compile_limits.h"
#include "harness/system/confinement.h"

namespace harness::cuda {

/// nvdisasm in PATH or in a toolkit; "" where there is none.
std::string find_disassembler();

/// The machine code of the cubin at `path`, in the words of `program`, which sees nothing but that file and itself. At
/// most 64 MB, of more it says why not.
Disassembly disassemble(const std::string& path, const std::string& program, const Walls& walls,
                        const CompileLimits& limits = {});

}  // namespace harness::cuda
