#include "harness/device/cpu/compile/loading.h"

#include <elf.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "harness/system/files.h"
#include "tests/device/cpu/fixture.h"

namespace harness::test {
namespace {

constexpr const char* kHonest = "__global__ void k(float* p) { p[threadIdx.x] = sqrtf(p[threadIdx.x]); }";

/// Why the compiler refuses a kernel with these lines before it; "" where it builds.
std::string refusal(const std::string& before, bool checked = false) {
  BuildSpec spec = spec_of(before + "\n" + kHonest, {"k"});
  spec.checked = checked;
  const BuildResult result = build(spec);
  const auto* const failure = std::get_if<CompileFailure>(&result);
  return failure == nullptr ? "" : failure->log;
}

bool tells(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

/// The honest object with one entry of its dynamic segment changed.
std::string with_tag(std::int64_t from, std::int64_t to) {
  std::string object = read_file(build_artifact(kHonest, {"k"}).path);
  Elf64_Ehdr header;
  std::memcpy(&header, object.data(), sizeof header);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, object.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_DYNAMIC) continue;
    for (std::uint64_t at = segment.p_offset; at < segment.p_offset + segment.p_filesz; at += sizeof(Elf64_Dyn)) {
      std::int64_t tag = 0;
      std::memcpy(&tag, object.data() + at, sizeof tag);
      if (tag == from) std::memcpy(object.data() + at, &to, sizeof to);
    }
  }
  return object;
}

}  // namespace

TEST_CASE("an honest candidate is only mapped, also one that is built for the memory checker") {
  CHECK(refusal("") == "");
  CHECK(refusal("", true) == "");
}

TEST_CASE("an object for which the loader would run code is refused, by what it would run") {
  const std::string code = "extern \"C\" __attribute__((used)) void first() {}\n";
  for (const bool checked : {false, true}) {
    CHECK(tells(refusal("volatile int seen; __attribute__((constructor)) static void first() { seen = 1; }", checked),
                "INIT_ARRAY"));
    CHECK(tells(refusal("volatile float three = 3; volatile float x = three / 2;", checked), "INIT_ARRAY"));
  }
  CHECK(
      tells(refusal(code + "asm(\".pushsection .init_array,\\\"aw\\\"\\n.quad first\\n.popsection\");"), "INIT_ARRAY"));
  CHECK(
      tells(refusal(code + "asm(\".pushsection .fini_array,\\\"aw\\\"\\n.quad first\\n.popsection\");"), "FINI_ARRAY"));
  CHECK(tells(refusal("extern \"C\" __attribute__((used)) void _init() {}"), "INIT"));
  CHECK(tells(refusal("extern \"C\" __attribute__((used)) void _fini() {}"), "FINI"));
  const std::string chosen = refusal(
      "static float a(float x) { return x; }\nextern \"C\" { static void* which() { return (void*)a; }\n"
      "float b(float) __attribute__((ifunc(\"which\"), visibility(\"default\"))); }\n"
      "__device__ float c(float x) { return b(x); }");
  CHECK(tells(chosen, "FUNC"));
}

TEST_CASE("an object that uses what device code has no business with is refused by the name") {
  CHECK(tells(refusal("extern \"C\" int hour(int, long*) __asm__(\"clock_gettime\");\n"
                      "__device__ long now() { long t[2]; hour(1, t); return t[0]; }\n"
                      "__global__ void other(long* p) { *p = now(); }\ntemplate <class T> struct Use {};\n"
                      "__attribute__((used)) static void (*keep)(long*) = other;"),
              "clock_gettime"));
}

TEST_CASE("what the dynamic segment says counts, whatever the sections are called") {
  CHECK(cpu::loading_problem(with_tag(0, 0)) == "");
  CHECK(tells(cpu::loading_problem(with_tag(DT_RELACOUNT, DT_INIT)), "INIT"));
  CHECK(tells(cpu::loading_problem(with_tag(DT_RELACOUNT, DT_AUDIT)), "no candidate needs"));
  CHECK(tells(cpu::loading_problem(with_tag(DT_HASH, DT_GNU_HASH)), "no candidate needs"));
  CHECK(cpu::loading_problem("") != "");
  CHECK(cpu::loading_problem("\x7f"
                             "ELF") != "");
}

TEST_CASE("an object that is cut short anywhere is refused or told, never read beyond its end") {
  const std::string whole = read_file(build_artifact(kHonest, {"k"}).path);
  for (std::size_t bytes = 0; bytes < whole.size(); bytes += 97) cpu::loading_problem(whole.substr(0, bytes));
  for (std::size_t at = 0; at < 4096 && at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(~changed[at]);
    cpu::loading_problem(changed);
  }
}

TEST_CASE("memory that outlives a launch is found by what stays writable, not by a name") {
  const auto globals = [](const std::string& before, const std::string& use) {
    const BuildResult built = build(spec_of(before + "\n__global__ void k(int* p) { " + use + " }", {"k"}));
    if (const auto* failure = std::get_if<CompileFailure>(&built)) FAIL(failure->log);
    return std::get<Artifact>(built).globals;
  };
  CHECK(globals("", "p[0] = 1;").empty());
  CHECK_FALSE(
      globals("__attribute__((section(\".harness_names_2\"))) static int memo[4] = {1};", "p[0] = ++memo[1];").empty());
  CHECK_FALSE(globals("static int memo[4] __asm__(\"harness_cpu_memo\");", "p[0] = ++memo[1];").empty());
  CHECK_FALSE(globals("static int memo[4] __asm__(\"_ZGVmemo\");", "p[0] = ++memo[1];").empty());
  CHECK_FALSE(globals("asm(\".pushsection .s,\\\"aw\\\",@nobits\\nby_hand: .zero 64\\n.popsection\");\n"
                      "extern \"C\" __attribute__((visibility(\"hidden\"))) int by_hand[];",
                      "p[0] = ++by_hand[1];")
                  .empty());
}

}  // namespace harness::test
