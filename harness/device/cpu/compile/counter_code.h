#pragma once
#include <string>
#include <string_view>

namespace harness::cpu {

/// Why machine code of this processor could read its time counters; "" where no instruction does. On x86-64 some
/// virtual machines answer rdtsc although the kernel took it away (system/rights.h), so what could ask is not loaded at
/// all: rdtsc, rdtscp, rdpmc and rdpru, as instructions or hidden within one (a constant, an offset), wherever its
/// bytes were written by hand. Not seen: the end of one instruction and the begin of the next that read as one, as
/// compilers make them all the time (push $15, xor %edx, %edx).
std::string counter_problem(std::string_view code);
/// The same by processor; each can be asked on any machine.
std::string counter_problem_x86_64(std::string_view code);
/// On aarch64 each instruction is four bytes at a multiple of four, so each is seen. Refused are reads of all counters
/// and timers, and instructions that wait until one of them has come to a value.
std::string counter_problem_aarch64(std::string_view code);

}  // namespace harness::cpu
