#include "harness/judge/generators.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/generators.h"
#include "harness/judge/forms.h"
#include "harness/judge/random_words.h"

namespace harness::judge {

GeneratorOptions::GeneratorOptions(const Problem& problem, const Argument& argument)
    : problem_(problem), argument_(argument) {}

const json* GeneratorOptions::find(const std::string& key) const {
  const auto option = argument_.gen->options.find(key);
  return option == argument_.gen->options.end() || option->is_null() ? nullptr : &*option;
}

bool GeneratorOptions::has(const std::string& key) const {
  return find(key) != nullptr;
}

double GeneratorOptions::number(const std::string& key, double fallback) const {
  const json* option = find(key);
  if (option == nullptr) return fallback;
  if (option->is_number()) return option->get<double>();
  const auto& sizes = problem_.workload.values;
  const auto size = option->is_string() ? sizes.find(option->get<std::string>()) : sizes.end();
  if (size != sizes.end()) {
    if (const auto* integer = std::get_if<std::int64_t>(&size->second)) return static_cast<double>(*integer);
    if (const auto* real = std::get_if<double>(&size->second)) return *real;
  }
  throw bad_input(fmt::format("option '{}' of the generator of '{}' is {}; use a number or the name of a size", key,
                              argument_.name, option->dump()));
}

std::int64_t GeneratorOptions::integer(const std::string& key, std::int64_t fallback) const {
  const json* option = find(key);
  if (option == nullptr) return fallback;
  return option->is_number_integer() ? option->get<std::int64_t>() : static_cast<std::int64_t>(number(key, 0));
}

std::int64_t GeneratorOptions::required(const std::string& key) const {
  if (!has(key)) {
    throw bad_input(
        fmt::format("the generator {} of '{}' needs the option '{}'", argument_.gen->kind, argument_.name, key));
  }
  return integer(key, 0);
}

std::string GeneratorOptions::text(const std::string& key, const std::string& fallback) const {
  const json* option = find(key);
  return option != nullptr && option->is_string() ? option->get<std::string>() : fallback;
}

namespace {

/// From the random bits of each element.
template <typename Value>
ElementValues from_bits(std::uint64_t seed, std::uint64_t stream, Value value) {
  return [=](std::uint64_t first, std::span<double> values) {
    for_random_words(seed, stream, first, values.size(),
                     [&](std::size_t i, random::Words bits) { values[i] = value(bits); });
  };
}

ElementValues draw_normal(const GeneratorOptions& options, std::uint64_t seed, std::uint64_t stream) {
  const double scale = options.number("scale", 1);
  const double deviation = scale * options.number("std", 1), mean = scale * options.number("mean", 0);
  return from_bits(seed, stream,
                   [=](random::Words bits) { return random::affine(deviation, random::normal(bits), mean); });
}

ElementValues draw_uniform(const GeneratorOptions& options, std::uint64_t seed, std::uint64_t stream) {
  const double lo = options.number("lo", 0), width = options.number("hi", 1) - lo;
  return from_bits(seed, stream, [=](random::Words bits) { return random::affine(width, random::uniform(bits), lo); });
}

ElementValues draw_mask(const GeneratorOptions& options, std::uint64_t seed, std::uint64_t stream) {
  const double density = options.number("density", 0.5);
  return from_bits(seed, stream, [=](random::Words bits) { return random::uniform(bits) < density ? 1.0 : 0.0; });
}

ElementValues draw_constant(const GeneratorOptions& options, std::uint64_t, std::uint64_t) {
  constexpr std::int64_t kMostConstants = 16;
  const std::int64_t count = count_elements(options.argument());
  if (count > kMostConstants) {
    throw bad_input(
        fmt::format("'{}' draws a constant for {} elements; constant data hides errors, so use normal or "
                    "uniform for more than {}",
                    options.argument().name, count, kMostConstants));
  }
  const double value = options.number("value", 0);
  return [=](std::uint64_t, std::span<double> values) { std::ranges::fill(values, value); };
}

constexpr std::pair<const char*, DrawElements> kElementGenerators[] = {
    {"normal", draw_normal}, {"uniform", draw_uniform}, {"mask", draw_mask}, {"constant", draw_constant}};

}  // namespace

DrawElements element_generator(const std::string& kind) {
  for (const auto& [name, draw] : kElementGenerators)
    if (name == kind) return draw;
  return nullptr;
}

ElementValues in_form(const ElementValues& values, const Argument& argument, std::uint64_t seed,
                      const std::string& form) {
  if (const std::optional<ValueForm> shared = value_form(form, argument))
    return [=, form = *shared](std::uint64_t first, std::span<double> changed) {
      values(first, changed);
      for_random_words(seed, form.stream, first, changed.size(), [&](std::size_t i, random::Words bits) {
        changed[i] = in_value_form(form, changed[i], bits, first + i, seed);
      });
    };
  const Change change = form_change(form, argument);
  if (!change) return values;
  const bool planted = !planted_values(form).empty();
  const std::optional<ValueDomain> domain = argument.values;
  return [=, &argument](std::uint64_t first, std::span<double> changed) {
    values(first, changed);
    for_random_words(seed, form_stream(argument), first, changed.size(), [&](std::size_t i, random::Words bits) {
      const double value = change(changed[i], bits, place_of(argument, first + i));
      if (domain) changed[i] = std::isfinite(value) ? std::clamp(value, domain->lo, domain->hi) : value;
      else if (!planted || std::fabs(value) <= kMostPlanted) changed[i] = value;
    });
  };
}

}  // namespace harness::judge
