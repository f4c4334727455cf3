#include "harness/judge/integer_forms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <vector>

#include "harness/core/generators.h"
#include "harness/judge/forms.h"
#include "harness/judge/indexing.h"
#include "kernels/include/harness/random.cuh"

namespace harness::judge {
namespace {

using Row = std::span<std::int64_t>;

/// Of one row.
struct Arrangement {
  const char* form;
  const char* words;
  void (*values)(Row row, std::int64_t lo, std::int64_t hi, std::uint64_t seed);
};

std::int64_t drawn(std::uint64_t seed, std::uint64_t which, std::int64_t lo, std::int64_t hi) {
  const std::uint64_t range = static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo) + 1;
  const random::Words words = random::words(seed, 0x696e7465676572, which);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(lo) + random::below(words, range));
}

void few_values(Row row, std::int64_t lo, std::int64_t hi, std::uint64_t seed) {
  std::array<std::int64_t, 4> values;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = drawn(seed, i, lo, hi);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = values[static_cast<std::size_t>(drawn(seed, 4 + i, 0, 3))];
}

void ends(Row row, std::int64_t lo, std::int64_t hi, std::uint64_t seed) {
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = drawn(seed, i, 0, 1) == 0 ? lo : hi;
}

void dominated(Row row, std::int64_t lo, std::int64_t hi, std::uint64_t seed) {
  const std::int64_t value = drawn(seed, 0, lo, hi);
  for (std::size_t i = 0; i < row.size(); ++i)
    if (drawn(seed, 1 + i, 0, 15) != 0) row[i] = value;
}

void all_equal(Row row, std::int64_t lo, std::int64_t hi, std::uint64_t seed) {
  std::ranges::fill(row, drawn(seed, 0, lo, hi));
}

void one_largest(Row row, std::int64_t lo, std::int64_t hi, std::uint64_t seed) {
  std::ranges::fill(row, lo);
  if (!row.empty()) row[static_cast<std::size_t>(drawn(seed, 0, 0, static_cast<std::int64_t>(row.size()) - 1))] = hi;
}

void consecutive(Row row, std::int64_t lo, std::int64_t hi, std::uint64_t seed) {
  std::int64_t value = drawn(seed, 0, lo, hi);
  for (std::int64_t& place : row) place = value, value = value == hi ? lo : value + 1;
}

void ascending(Row row, std::int64_t, std::int64_t, std::uint64_t) {
  std::ranges::sort(row);
}

void descending(Row row, std::int64_t, std::int64_t, std::uint64_t) {
  std::ranges::sort(row, std::greater());
}

void least(Row row, std::int64_t lo, std::int64_t, std::uint64_t) {
  std::ranges::fill(row, lo);
}

void most(Row row, std::int64_t, std::int64_t hi, std::uint64_t) {
  std::ranges::fill(row, hi);
}

constexpr Arrangement kIntegers[] = {{"scaled 1e-2", "few distinct", few_values},
                                     {"scaled 1e2", "ends of the range", ends},
                                     {"large", "sorted", ascending},
                                     {"spikes", "one value dominates", dominated},
                                     {"few spikes", "one largest", one_largest},
                                     {"shifted", "reversed", descending},
                                     {"lowered", "all the least", least},
                                     {"one-hot", "all equal", all_equal},
                                     {"ramp", "consecutive", consecutive},
                                     {"constant rows", "all equal", all_equal},
                                     {"wide spikes", "all the most", most}};

constexpr Arrangement kLengths[] = {{"scaled 1e-2", "all shortest", least},  {"scaled 1e2", "all longest", most},
                                    {"large", "ascending", ascending},       {"spikes", "shortest or longest", ends},
                                    {"few spikes", "one long", one_largest}, {"shifted", "descending", descending},
                                    {"lowered", "all shortest", least},      {"one-hot", "one long", one_largest},
                                    {"ramp", "ascending", ascending},        {"constant rows", "all equal", all_equal},
                                    {"wide spikes", "all longest", most}};

const Arrangement* find(std::span<const Arrangement> arrangements, const std::string& form) {
  const auto found = std::ranges::find(arrangements, form, &Arrangement::form);
  return found == arrangements.end() ? nullptr : &*found;
}

/// As forms.h says of "planted"; what is no integer from lo to hi is left out.
void plant_integers(Row row, std::int64_t lo, std::int64_t hi, const std::string& form, std::uint64_t seed) {
  std::vector<std::int64_t> planted;
  for (const double value : planted_values(form))
    if (value == std::floor(value) && value >= static_cast<double>(lo) && value <= static_cast<double>(hi))
      planted.push_back(static_cast<std::int64_t>(value));
  if (planted.empty()) return;
  const auto last = static_cast<std::int64_t>(planted.size()) - 1;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i < planted.size()) row[i] = planted[i];
    else if (drawn(seed, 2 * i, 0, 7) == 0) row[i] = planted[static_cast<std::size_t>(drawn(seed, 2 * i + 1, 0, last))];
  }
}

}  // namespace

void arrange_integers(std::span<std::int64_t> values, std::int64_t row_length, std::int64_t lo, std::int64_t hi,
                      const std::string& form, std::uint64_t seed) {
  plant_integers(values, lo, hi, form, seed);
  const Arrangement* const arrangement = find(kIntegers, form);
  if (arrangement == nullptr || row_length <= 0) return;
  const auto length = static_cast<std::size_t>(row_length);
  const auto rows = static_cast<std::int64_t>((values.size() + length - 1) / length);
  parallel_ranges(rows, 0, [&](std::int64_t first, std::int64_t end) {
    for (std::size_t row = static_cast<std::size_t>(first); row < static_cast<std::size_t>(end); ++row) {
      const std::size_t begin = row * length;
      arrangement->values(values.subspan(begin, std::min(length, values.size() - begin)), lo, hi, seed + begin);
    }
  });
}

void arrange_lengths(std::span<std::int64_t> lengths, std::int64_t lo, std::int64_t hi, const std::string& form,
                     std::uint64_t seed) {
  if (const Arrangement* const arrangement = find(kLengths, form)) arrangement->values(lengths, lo, hi, seed);
}

bool has_integer_forms(const Argument& argument) {
  if (!argument.gen || argument.absent || is_floating(argument.dtype)) return false;
  const std::string& kind = argument.gen->kind;
  return kind == "integers" || kind == "ragged" || kind == "routing";
}

bool has_form(const Problem& problem, const std::string& form) {
  static const std::set<std::string> of_domains{"ends", "denormals", "infinities", "nans", "ties", "sorted"};
  return std::ranges::any_of(problem.arguments, [&](const Argument& argument) {
    const GeneratorKind* const kind = argument.gen && !argument.absent ? find_generator(argument.gen->kind) : nullptr;
    if (kind == nullptr) return false;
    const bool floating = kind->has_forms && is_floating(argument.dtype);
    if (of_domains.contains(form)) return floating && domain_change(form, argument) != nullptr;
    return floating || has_integer_forms(argument);
  });
}

std::string integers_in_words(const std::string& form) {
  const Arrangement* const arrangement = find(kIntegers, form);
  return arrangement == nullptr ? "" : arrangement->words;
}

}  // namespace harness::judge
