#include "harness/judge/generators.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/core/error.h"
#include "harness/judge/random_words.h"

namespace harness::judge {

GeneratorOptions::GeneratorOptions(const Problem& problem, const Argument& argument)
    : problem_(problem), argument_(argument) {}

const json* GeneratorOptions::find(const std::string& key) const {
  const auto found = argument_.gen->options.find(key);
  return found == argument_.gen->options.end() || found->is_null() ? nullptr : &*found;
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

/// An element's value in a hostile form, from its nominal value, random bits of its own, and its place in its row.
struct Place {
  std::uint64_t row = 0, column = 0, columns = 1, elements = 1;
};
using Change = std::function<double(double value, random::Words bits, const Place& place)>;

Change scaled(double factor) {
  return [factor](double value, random::Words, const Place&) { return value * factor; };
}

Change form_change(const std::string& form, std::uint64_t seed, std::uint64_t stream) {
  if (form == "scaled 1e-2") return scaled(1e-2);
  if (form == "scaled 1e2") return scaled(1e2);
  if (form == "large") return scaled(8);
  if (form == "shifted") return [](double value, random::Words, const Place&) { return value + 2; };
  if (form == "lowered") return [](double value, random::Words, const Place&) { return value - 100; };
  if (form == "spikes") {
    return [](double value, random::Words bits, const Place&) { return (bits.w[0] & 127u) == 0 ? value * 64 : value; };
  }
  if (form == "few spikes") {
    // About sixteen in the whole tensor: whoever looks at a part of it finds nothing. They are so large that among them
    // there are some that overflow an exponential whose maximum was not taken away, but for one draw in a thousand.
    return [](double value, random::Words bits, const Place& at) {
      return random::below(bits, at.elements) < 16 ? value * 512 : value;
    };
  }
  if (form == "one-hot") {
    return [=](double, random::Words, const Place& at) {
      const std::uint64_t hot =
          random::below(random::words(seed, stream, at.row), static_cast<std::int64_t>(at.columns));
      return at.column == hot ? 1.0 : 0.0;
    };
  }
  if (form == "ramp") {  // from -1 to 1 along a row; each row begins elsewhere
    return [](double, random::Words, const Place& at) {
      constexpr double kGolden = 0.6180339887498949;
      const double along = (static_cast<double>(at.column) + 0.5) / static_cast<double>(at.columns);
      const double turned = along + kGolden * static_cast<double>(at.row);
      return 2 * (turned - std::floor(turned)) - 1;
    };
  }
  return nullptr;
}

/// From the random bits of each element.
template <typename Value>
ElementValues from_bits(std::uint64_t seed, std::uint64_t stream, Value value) {
  return [=](std::uint64_t first, std::span<double> values) {
    for_random_words(seed, stream, first, values.size(),
                     [&](std::size_t i, random::Words bits) { values[i] = value(bits); });
  };
}

ElementValues nominal(const GeneratorOptions& options, const std::string& kind, std::uint64_t seed,
                      std::uint64_t stream) {
  if (kind == "normal") {
    const double scale = options.number("scale", 1);
    const double deviation = scale * options.number("std", 1), mean = scale * options.number("mean", 0);
    return from_bits(seed, stream,
                     [=](random::Words bits) { return random::affine(deviation, random::normal(bits), mean); });
  }
  if (kind == "uniform") {
    const double lo = options.number("lo", 0), width = options.number("hi", 1) - lo;
    return from_bits(seed, stream,
                     [=](random::Words bits) { return random::affine(width, random::uniform(bits), lo); });
  }
  if (kind == "mask") {
    const double density = options.number("density", 0.5);
    return from_bits(seed, stream, [=](random::Words bits) { return random::uniform(bits) < density ? 1.0 : 0.0; });
  }
  if (kind == "constant") {
    const double value = options.number("value", 0);
    return [=](std::uint64_t, std::span<double> values) { std::ranges::fill(values, value); };
  }
  return nullptr;
}

}  // namespace

ElementValues element_values(const GeneratorOptions& options, const Argument& argument, std::uint64_t seed,
                             const std::string& form) {
  const std::string& kind = argument.gen->kind;
  constexpr std::int64_t kMostConstants = 16;
  if (kind == "constant" && count_elements(argument) > kMostConstants) {
    throw bad_input(
        fmt::format("'{}' draws a constant for {} elements; constant data hides errors, so use normal or "
                    "uniform for more than {}",
                    argument.name, count_elements(argument), kMostConstants));
  }
  ElementValues values = nominal(options, kind, seed, random::stream_of(argument.name.c_str()));
  const std::uint64_t stream = random::stream_of((argument.name + ":form").c_str());
  const Change change = form_change(form, seed, stream);
  const bool changes = is_floating(argument.dtype) && (kind == "normal" || kind == "uniform");
  if (!change || !changes) return values;
  const std::uint64_t columns =
      argument.shape.empty() ? 1 : static_cast<std::uint64_t>(std::max<std::int64_t>(1, argument.shape.back()));
  const auto elements = static_cast<std::uint64_t>(std::max<std::int64_t>(1, count_elements(argument)));
  return [=](std::uint64_t first, std::span<double> changed) {
    values(first, changed);
    for_random_words(seed, stream, first, changed.size(), [&](std::size_t i, random::Words bits) {
      const std::uint64_t e = first + i;
      changed[i] = change(changed[i], bits, {e / columns, e % columns, columns, elements});
    });
  };
}

std::vector<std::int64_t> shuffled(std::uint64_t seed, std::uint64_t stream, std::int64_t n,
                                   std::uint64_t first_element) {
  std::vector<std::int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (std::int64_t i = n - 1; i > 0; --i) {
    const auto other = random::below(random::words(seed, stream, first_element + i), i + 1);
    std::swap(order[i], order[other]);
  }
  return order;
}

}  // namespace harness::judge
