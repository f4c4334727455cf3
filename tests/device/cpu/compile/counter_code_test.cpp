#include "harness/device/cpu/compile/counter_code.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "tests/device/cpu/fixture.h"

namespace harness::test {
namespace {

using cpu::counter_problem;

template <std::size_t N>
std::string bytes(const char (&text)[N]) {
  return {text, N - 1};
}

/// Why the compiler refuses a kernel whose body begins with this; "" where it builds.
std::string counter_refusal(const std::string& begin, bool checked = false) {
  BuildSpec spec = spec_of("__global__ void k(unsigned* p) { " + begin + " }", {"k"});
  spec.checked = checked;
  const BuildResult result = build(spec);
  const auto* const failure = std::get_if<CompileFailure>(&result);
  return failure == nullptr ? "" : failure->log;
}

std::string little_endian(std::initializer_list<std::uint32_t> instructions) {
  std::string code;
  for (const std::uint32_t instruction : instructions)
    for (int byte = 0; byte < 4; ++byte) code += static_cast<char>(instruction >> 8 * byte);
  return code;
}

}  // namespace

TEST_CASE("machine code of aarch64 that tells the time is found") {
  using cpu::counter_problem_aarch64;
  constexpr std::uint32_t kNothing = 0xd503201f;
  CHECK(counter_problem_aarch64(little_endian({kNothing, 0xd53be043})).find("at 0x4") !=
        std::string::npos);                                                   // mrs x3, cntvct_el0
  CHECK_FALSE(counter_problem_aarch64(little_endian({0xd53be020})).empty());  // mrs x0, cntpct_el0
  CHECK_FALSE(counter_problem_aarch64(little_endian({0xd53be0c4})).empty());  // mrs x4, cntvctss_el0
  CHECK_FALSE(counter_problem_aarch64(little_endian({0xd53b9d01})).empty());  // mrs x1, pmccntr_el0
  CHECK(counter_problem_aarch64(little_endian({0xd5031005})).find("wfet") != std::string::npos);
  CHECK(counter_problem_aarch64(little_endian({0xd5031023})).find("wfit") != std::string::npos);
  CHECK(counter_problem_aarch64(little_endian({0xd53bd042, 0xd53b4402, kNothing}))
            .empty());                                                           // mrs of tpidr_el0 and of fpcr
  CHECK(counter_problem_aarch64("\x90" + little_endian({0xd53be043})).empty());  // no instruction begins there
}

TEST_CASE("instructions that read the processor's counters are found by name and place") {
  CHECK(counter_problem(bytes("\x90\x0f\x31\xc3")).find("rdtsc at 0x1") != std::string::npos);
  CHECK(counter_problem(bytes("\x0f\x33")).find("rdpmc") != std::string::npos);
  CHECK(counter_problem(bytes("\x0f\x01\xf9")).find("rdtscp") != std::string::npos);
  CHECK(counter_problem(bytes("\x0f\x01\xfd")).find("rdpru") != std::string::npos);
  CHECK(counter_problem(bytes("\xc3\x48\x0f\x31")).find("rdtsc") != std::string::npos);  // behind a prefix
}

TEST_CASE("a counter's bytes within a constant, an offset or a long distance are found") {
  CHECK_FALSE(counter_problem(bytes("\xb8\x0f\x31\xc3\x90\xc3")).empty());      // mov $0x90c3310f, %eax
  CHECK_FALSE(counter_problem(bytes("\x48\x8b\x80\x0f\x31\x00\x00")).empty());  // mov 0x310f(%rax), %rax
  CHECK_FALSE(counter_problem(bytes("\xe9\x0f\x31\x90\x00\xd0\xc3")).empty());  // jmp 9 MB away
  CHECK_FALSE(counter_problem(bytes("\xe9\x0f\x31\xfc\xff\xc3")).empty());      // and 250 kB back
  CHECK_FALSE(counter_problem(bytes("\xeb\x02\x48\xb8\x0f\x31\xc3\x90\x90\x90\x90\x90")).empty());
}

TEST_CASE("what compilers write all the time is no counter") {
  CHECK(counter_problem(bytes("\x6a\x0f\x31\xd2\xc3")) == "");                  // push $15; xor %edx, %edx
  CHECK(counter_problem(bytes("\x48\x89\x0f\x31\xc0\xc3")) == "");              // mov %rcx, (%rdi); xor %eax, %eax
  CHECK(counter_problem(bytes("\x0f\x85\x0f\x31\x00\x00\xc3")) == "");          // jne 12 kB away
  CHECK(counter_problem(bytes("\x48\x8d\x3d\x0f\x31\xff\xff\xc3")) == "");      // lea -52977(%rip), %rdi
  CHECK(counter_problem(bytes("\x48\x8d\x3d\x00\x00\x00\x00\x0f\x85")) == "");  // cut short
  CHECK(counter_problem("") == "");
}

TEST_CASE("a candidate whose machine code reads the time counter is refused when it is built") {
  for (const bool checked : {false, true}) {
    CHECK(counter_refusal("p[threadIdx.x] = 15;", checked) == "");
    CHECK(counter_refusal("asm volatile(\".byte 0x0f, 0x31\" : \"=a\"(p[0]) : : \"rdx\");", checked).find("rdtsc") !=
          std::string::npos);
  }
}

}  // namespace harness::test
