#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/core/contract.h"
#include "harness/judge/elements.h"

// The generators behind draw_inputs: pure functions of a seed, an argument and its options.
namespace harness::judge {

/// Options of one argument's generator, with the sizes of the workload in place of names.
class GeneratorOptions {
 public:
  GeneratorOptions(const Problem& problem, const Argument& argument);
  bool has(const std::string& key) const;
  double number(const std::string& key, double fallback) const;
  std::int64_t integer(const std::string& key, std::int64_t fallback) const;
  std::int64_t required(const std::string& key) const;
  std::string text(const std::string& key, const std::string& fallback) const;
  const std::string& argument() const { return argument_.name; }

 private:
  const json* find(const std::string& key) const;
  const Problem& problem_;
  const Argument& argument_;
};

/// normal, uniform, mask or constant; empty for every other kind.
ElementValues element_values(const GeneratorOptions& options, const Argument& argument, std::uint64_t seed,
                             const std::string& form);

std::vector<std::int64_t> draw_integers(const GeneratorOptions& options, std::uint64_t seed, std::int64_t count,
                                        int threads);
std::vector<std::int64_t> draw_permutation(const GeneratorOptions& options, std::uint64_t seed, std::int64_t count);
std::vector<std::int64_t> draw_ragged(const GeneratorOptions& options, std::uint64_t seed, std::int64_t count);
std::vector<std::int64_t> draw_prefix_sum(std::span<const std::int64_t> of, std::int64_t count);
std::vector<std::int64_t> draw_block_table(const GeneratorOptions& options, std::uint64_t seed,
                                           std::span<const std::int64_t> lengths, std::int64_t count);
std::vector<std::int64_t> draw_routing(const GeneratorOptions& options, std::uint64_t seed, std::int64_t count,
                                       std::int64_t last_extent, int threads);

/// 0 .. n-1 in random order.
std::vector<std::int64_t> shuffled(std::uint64_t seed, std::uint64_t stream, std::int64_t n,
                                   std::uint64_t first_element);

}  // namespace harness::judge
