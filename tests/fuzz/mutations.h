#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace harness::fuzz {

/// Runs `entry` on the corpus of `name` and on `count` mutations of it, the same in every run: what crashes or hangs
/// once is found again by everybody. One that takes longer than 5 s counts as a hang. CI takes the first quarter;
/// HARNESS_FUZZ_FACTOR multiplies `count`, HARNESS_FUZZ_SEED draws others. Long runs with coverage:
/// tests/fuzz/README.md.
void run_mutations(const std::string& name, void (*entry)(const std::uint8_t*, std::size_t), int count);

}  // namespace harness::fuzz
