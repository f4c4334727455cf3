#include "harness/device/cpu/compile/linking.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/device/cpu/compile/flags.h"
#include "harness/system/run_program.h"

using namespace harness;

TEST_CASE("words of a command as g++ prints it") {
  CHECK(cpu::words_of_command(R"( ld "-lm" -o "/a b/c.so" d\ e "" "\"")") ==
        std::vector<std::string>{"ld", "-lm", "-o", "/a b/c.so", "d e", "", "\""});
  CHECK(cpu::words_of_command("").empty());
}

TEST_CASE("the linker is started as g++ starts it, with its libraries and without its plugin") {
  cpu::Linking linking(find_program("g++"));
  const auto command = linking.command({cpu::link_flags({}), {"/x/one.o", "/x/two.o"}, "/x/out.so"});
  REQUIRE(command);
  CHECK(command->front().starts_with('/'));
  const auto place = [&](const std::string& word) { return std::ranges::find(*command, word) - command->begin(); };
  const auto end = static_cast<std::ptrdiff_t>(command->size());
  CHECK(place("/x/two.o") == place("/x/one.o") + 1);
  CHECK(place("-o") + 1 == place("/x/out.so"));
  CHECK(place("-lm") > place("/x/two.o"));
  for (const char* word : {"-shared", "-lm", "defs", "relro", "now", "-Bsymbolic", "--hash-style=sysv"}) {
    INFO(word);
    CHECK(place(word) < end);
  }
  CHECK(place("-lstdc++") == end);
  CHECK(std::ranges::none_of(*command, [](const std::string& word) { return word.starts_with("-plugin"); }));
}

TEST_CASE("libc is not read for a candidate that needs nothing of it") {
  cpu::Linking linking(find_program("g++"));
  const auto command = linking.command({cpu::link_flags({}), {"/x/one.o"}, "/x/out.so", false});
  REQUIRE(command);
  const auto has = [&](const char* word) { return std::ranges::count(*command, word) > 0; };
  CHECK(has("-l:libm.so.6"));
  CHECK(has("-l:ld-linux-x86-64.so.2"));
  CHECK_FALSE(has("-lm"));
  CHECK_FALSE(has("-lc"));
}

TEST_CASE("a compiler that does not say how it links links by itself") {
  CHECK_FALSE(cpu::Linking("/bin/true").command({{}, {"one.o"}, "out.so"}));
  CHECK_FALSE(cpu::Linking("/bin/echo").command({{}, {"one.o"}, "out.so"}));
}

TEST_CASE("what was assembled is remembered by its text") {
  cpu::Linking linking("g++");
  CHECK(linking.assembled("a") == nullptr);
  linking.keep_assembled("a", "object");
  REQUIRE(linking.assembled("a") != nullptr);
  CHECK(*linking.assembled("a") == "object");
  CHECK(linking.assembled("b") == nullptr);
}
