#include "tests/fuzz/mutations.h"

#include <catch2/catch.hpp>

#include "tests/fuzz/entries.h"

using harness::fuzz::run_mutations;

TEST_CASE("mutated exports are imported or refused") {
  run_mutations("import", harness::fuzz::import, 5000);
}

TEST_CASE("mutated frames of a worker are read or close the channel") {
  run_mutations("frames", harness::fuzz::frames, 25000);
}

TEST_CASE("mutated recorded spaces are read or refused") {
  run_mutations("space", harness::fuzz::space, 5000);
}

TEST_CASE("mutated NumPy arrays are read or refused") {
  run_mutations("npy", harness::fuzz::npy, 15000);
}

TEST_CASE("mutated shared objects are read or refused") {
  run_mutations("elf", harness::fuzz::elf, 25000);
}

TEST_CASE("mutated PTX is read to its end, whatever it is") {
  run_mutations("ptx", harness::fuzz::ptx, 4000);
}

TEST_CASE("mutated cubins are read or refused") {
  run_mutations("cubin", harness::fuzz::cubin, 25000);
}
