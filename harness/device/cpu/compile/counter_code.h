#pragma once
#include <string>
#include <string_view>

namespace harness::cpu {

/// Why x86-64 machine code could read the processor's time counters; "" where no instruction does. Some virtual
/// machines answer rdtsc although the kernel took it away (system/rights.h), so what could ask is not loaded at all:
/// rdtsc, rdtscp, rdpmc and rdpru, as instructions or hidden within one (a constant, an offset), wherever its bytes
/// were written by hand. Not seen: the end of one instruction and the begin of the next that read as one, as compilers
/// make them all the time (push $15, xor %edx, %edx).
std::string counter_problem(std::string_view code);

}  // namespace harness::cpu
