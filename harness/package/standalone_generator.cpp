#include "harness/package/standalone_generator.h"

#include <fmt/format.h>

#include "harness/core/error.h"

namespace harness::package {
namespace {

/// A generator's options as numbers: they may name sizes of the workload.
class GeneratorOptions {
 public:
  GeneratorOptions(const Problem& problem, const Argument& argument)
      : problem_(problem), options_(argument.gen->options), argument_(argument.name) {}

  bool has(const std::string& key) const { return options_.contains(key) && !options_[key].is_null(); }
  double number(const std::string& key, double fallback) const {
    if (!has(key)) return fallback;
    const json& option = options_[key];
    if (option.is_number()) return option.get<double>();
    const auto size =
        option.is_string() ? problem_.workload.values.find(option.get<std::string>()) : problem_.workload.values.end();
    if (size != problem_.workload.values.end()) {
      if (const auto* integer = std::get_if<std::int64_t>(&size->second)) return static_cast<double>(*integer);
      if (const auto* real = std::get_if<double>(&size->second)) return *real;
    }
    throw bad_input(fmt::format("the option '{}' of the generator of '{}' is no number", key, argument_));
  }
  std::int64_t whole(const std::string& key, std::int64_t fallback) const {
    const json* option = has(key) ? &options_[key] : nullptr;
    if (option != nullptr && option->is_number_integer()) return option->get<std::int64_t>();
    return static_cast<std::int64_t>(number(key, static_cast<double>(fallback)));
  }
  std::string text(const std::string& key) const {
    return has(key) && options_[key].is_string() ? options_[key].get<std::string>() : "";
  }

 private:
  const Problem& problem_;
  const json& options_;
  std::string argument_;
};

GeneratorCode ragged_code(const GeneratorOptions& options, std::size_t seed, std::int64_t count) {
  const std::int64_t mean = options.whole("mean", 0);
  const std::int64_t lo = options.whole("lo", mean > 0 ? (mean + 1) / 2 : 1);
  const std::int64_t hi = options.whole("hi", mean + mean / 2);
  return {fmt::format("lengths({}, {}, {}, {}, {}, {})", seed, count, lo, hi, options.whole("total", -1),
                      options.whole("capacity", -1)),
          true, ""};
}

}  // namespace

GeneratorCode generator_code(const Problem& problem, const Argument& argument, std::size_t seed) {
  const std::string& kind = argument.gen->kind;
  const GeneratorOptions options(problem, argument);
  const std::int64_t count = count_elements(argument);
  if (kind == "normal") {
    const double scale = options.number("scale", 1);
    return {fmt::format("normal({}, i) * {} + {}", seed, scale * options.number("std", 1),
                        scale * options.number("mean", 0)),
            false, ""};
  }
  if (kind == "uniform") {
    const double lo = options.number("lo", 0), width = options.number("hi", 1) - lo;
    return {fmt::format("uniform({}, i) * {} + {}", seed, width, lo), false, ""};
  }
  if (kind == "mask")
    return {fmt::format("uniform({}, i) < {} ? 1.0 : 0.0", seed, options.number("density", 0.5)), false, ""};
  if (kind == "constant") return {fmt::format("(double){}", options.number("value", 0)), false, ""};
  if (kind == "integers")
    return {fmt::format("(double)integer({}, i, {}, {})", seed, options.whole("lo", 0), options.whole("hi", 127)),
            false, ""};
  if (kind == "permutation")
    return {fmt::format("permutation({}, {}, {})", seed, count, options.whole("n", count)), true, ""};
  if (kind == "ragged") return ragged_code(options, seed, count);
  if (kind == "prefix_sum") return {fmt::format("prefix_sum({}, of)", count), true, options.text("of")};
  if (kind == "block_table")
    return {fmt::format("block_table({}, {}, of, {}, {}, {})", seed, count, options.whole("block", 1),
                        options.whole("blocks", 1), options.text("unused") == "valid"),
            true, options.text("lengths")};
  if (kind == "routing") {
    const std::int64_t experts = options.whole("experts", 1) - options.whole("empty", 0);
    const std::int64_t last = argument.shape.empty() ? 1 : argument.shape.back();
    return {fmt::format("routing({}, {}, {}, {})", seed, count, experts, options.whole("k", last)), true, ""};
  }
  throw bad_input(
      fmt::format("its input '{}' is drawn by '{}', code of the kernel's own that a standalone program "
                  "does not have",
                  argument.name, kind));
}

}  // namespace harness::package
