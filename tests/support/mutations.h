#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// Honest kernels with one mistake in each, as people and models make them. What becomes of them tells how much the
// gates let through (bench/mutation_bench.cpp), without anybody who chose the mistakes.
namespace harness::tests {

/// One way to spoil a source: its bytes [at, at + bytes) become `after`.
struct Mutation {
  std::string kind;  // "dropped barrier", "shifted index", "lost tail", "narrowed type", "swapped operands",
                     // "other constant", "dropped statement"
  std::size_t at = 0, bytes = 0;
  std::string after;
};

/// All mutations that the source allows, in the order of their places. Comments and preprocessor lines are left alone.
std::vector<Mutation> mutations_of(const std::string& source);

/// One of them: first a kind, then a place, so that kinds with few places come as often. The same for the same seed.
/// `index` counts 0, 1, 2, ... mutants of this source.
Mutation choose_mutation(const std::vector<Mutation>& all, std::uint64_t seed, std::uint64_t index);

/// A wrong path behind a comparison that holds now and then: on a value, on a size, on a place, or on two of them.
/// Thresholds of values lie between 1e-4 and 1e3, of sizes between 1 and 16,384, each magnitude as likely. No value:
/// the source has no place for one. The same for the same seed.
std::optional<Mutation> conditional_mutation(const std::string& source, std::uint64_t seed, std::uint64_t index);

std::string mutated(const std::string& source, const Mutation& mutation);
/// "lost tail at line 12: `j < columns` became `j < columns - 1`"
std::string in_words(const std::string& source, const Mutation& mutation);

/// A variant of a folder of kernels with one mutation.
struct Mutant {
  std::string original, variant, words, kind;
};
/// Copies the kernel `from` as `to`/NAME, without its own mutants, and adds `count` mutants of its variants in turn.
/// `only`: a variant; "": all whose manifests do not ask for a GPU.
enum class MutationsOf { people, conditions };
std::vector<Mutant> write_mutants(const std::filesystem::path& from, const std::filesystem::path& to,
                                  const std::string& name, std::uint64_t seed, int count, const std::string& only = "",
                                  MutationsOf of = MutationsOf::people);

}  // namespace harness::tests
