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
  const Argument& argument() const { return argument_; }

 private:
  const json* find(const std::string& key) const;
  const Problem& problem_;
  const Argument& argument_;
};

/// Draws each element by itself, as values of any type.
using DrawElements = ElementValues (*)(const GeneratorOptions& options, std::uint64_t seed, std::uint64_t stream);

/// What draws all elements of an argument at once, as integers.
struct IntegerDraw {
  const GeneratorOptions& options;
  std::uint64_t seed = 0;
  std::int64_t count = 0;        // elements
  std::int64_t last_extent = 1;  // of the argument's shape
  int threads = 0;
  std::string form = "nominal";                                               // integer_forms.h
  std::function<std::vector<std::int64_t>(const std::string& option)> other;  // elements of the argument that it names
};
using DrawIntegers = std::vector<std::int64_t> (*)(const IntegerDraw& draw);

/// What draws a generator of core/generators.h: one of the two, or for a kernel's own code none. nullptr: not this.
DrawElements element_generator(const std::string& kind);
DrawIntegers integer_generator(const std::string& kind);

/// The same elements in a hostile form, where the argument's generator and type have forms.
ElementValues in_form(const ElementValues& values, const Argument& argument, std::uint64_t seed,
                      const std::string& form);

}  // namespace harness::judge
