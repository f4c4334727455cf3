#include "harness/judge/integer_forms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <future>
#include <set>
#include <variant>
#include <vector>

#include "harness/core/generators.h"
#include "harness/judge/forms.h"
#include "harness/judge/indexing.h"
#include "kernels/include/harness/random.cuh"

namespace harness::judge {
namespace {

/// A part of a row, so that cores share a long one.
struct RowPiece {
  std::span<std::int64_t> values;
  std::size_t first = 0;   // place of the first of them in the row
  std::size_t length = 0;  // of the row
};

using Arrange = void (*)(const RowPiece& piece, std::int64_t lo, std::int64_t hi, std::uint64_t seed);
using Sort = void (*)(std::span<std::int64_t> row);

struct Arrangement {
  const char* form;
  const char* words;
  std::variant<Arrange, Sort> values;
};

std::int64_t drawn(std::uint64_t seed, std::uint64_t which, std::int64_t lo, std::int64_t hi) {
  const std::uint64_t range = static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo) + 1;
  const random::Words words = random::words(seed, 0x696e7465676572, which);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(lo) + random::below(words, range));
}

void few_values(const RowPiece& piece, std::int64_t lo, std::int64_t hi, std::uint64_t seed) {
  std::array<std::int64_t, 4> values;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = drawn(seed, i, lo, hi);
  for (std::size_t i = 0; i < piece.values.size(); ++i)
    piece.values[i] = values[static_cast<std::size_t>(drawn(seed, 4 + piece.first + i, 0, 3))];
}

void ends(const RowPiece& piece, std::int64_t lo, std::int64_t hi, std::uint64_t seed) {
  for (std::size_t i = 0; i < piece.values.size(); ++i)
    piece.values[i] = drawn(seed, piece.first + i, 0, 1) == 0 ? lo : hi;
}

void dominated(const RowPiece& piece, std::int64_t lo, std::int64_t hi, std::uint64_t seed) {
  const std::int64_t value = drawn(seed, 0, lo, hi);
  for (std::size_t i = 0; i < piece.values.size(); ++i)
    if (drawn(seed, 1 + piece.first + i, 0, 15) != 0) piece.values[i] = value;
}

void all_equal(const RowPiece& piece, std::int64_t lo, std::int64_t hi, std::uint64_t seed) {
  std::ranges::fill(piece.values, drawn(seed, 0, lo, hi));
}

void one_largest(const RowPiece& piece, std::int64_t lo, std::int64_t hi, std::uint64_t seed) {
  std::ranges::fill(piece.values, lo);
  const auto place = static_cast<std::size_t>(drawn(seed, 0, 0, static_cast<std::int64_t>(piece.length) - 1));
  if (place >= piece.first && place - piece.first < piece.values.size()) piece.values[place - piece.first] = hi;
}

void consecutive(const RowPiece& piece, std::int64_t lo, std::int64_t hi, std::uint64_t seed) {
  const std::uint64_t range = static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo) + 1;  // 0: all 2^64
  const std::uint64_t begin = static_cast<std::uint64_t>(drawn(seed, 0, lo, hi)) - static_cast<std::uint64_t>(lo);
  std::uint64_t step = range == 0 ? begin + piece.first : (begin + piece.first % range) % range;
  for (std::int64_t& value : piece.values) {
    value = static_cast<std::int64_t>(static_cast<std::uint64_t>(lo) + step);
    if (++step == range) step = 0;
  }
}

void least(const RowPiece& piece, std::int64_t lo, std::int64_t, std::uint64_t) {
  std::ranges::fill(piece.values, lo);
}

void most(const RowPiece& piece, std::int64_t, std::int64_t hi, std::uint64_t) {
  std::ranges::fill(piece.values, hi);
}

// A flat input of a hundred million elements is one row: a core alone sorts it for ten seconds.
template <typename Less>
void sort_in_parts(std::span<std::int64_t> row, std::size_t part, Less less) {
  if (row.size() <= part) {
    std::ranges::sort(row, less);
    return;
  }
  const auto half = row.begin() + static_cast<std::ptrdiff_t>(row.size() / 2);
  const auto first = std::async(std::launch::async, [&] { sort_in_parts(std::span(row.begin(), half), part, less); });
  sort_in_parts(std::span(half, row.end()), part, less);
  first.wait();
  std::inplace_merge(row.begin(), half, row.end(), less);
}

std::size_t part_of(std::size_t row) {
  constexpr std::size_t kLeastPart = 1 << 18, kParts = 16;
  return std::max(kLeastPart, row / kParts + 1);
}

void ascending(std::span<std::int64_t> row) {
  sort_in_parts(row, part_of(row.size()), std::less());
}

void descending(std::span<std::int64_t> row) {
  sort_in_parts(row, part_of(row.size()), std::greater());
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
void plant_integers(std::span<std::int64_t> row, std::int64_t lo, std::int64_t hi, const std::string& form,
                    std::uint64_t seed) {
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

namespace {

void arrange(const Arrangement& arrangement, std::span<std::int64_t> values, std::size_t row_length, std::int64_t lo,
             std::int64_t hi, std::uint64_t seed) {
  const std::size_t rows = (values.size() + row_length - 1) / row_length;
  const auto row_at = [&](std::size_t row) {
    return values.subspan(row * row_length, std::min(row_length, values.size() - row * row_length));
  };
  if (const auto* const sort = std::get_if<Sort>(&arrangement.values))
    return parallel_ranges(static_cast<std::int64_t>(rows), threads_for(static_cast<std::int64_t>(values.size())),
                           [&](std::int64_t first, std::int64_t end) {
                             for (std::int64_t row = first; row < end; ++row)
                               (*sort)(row_at(static_cast<std::size_t>(row)));
                           });
  const Arrange piece_of = std::get<Arrange>(arrangement.values);
  parallel_ranges(static_cast<std::int64_t>(values.size()), 0, [&](std::int64_t first, std::int64_t end) {
    for (auto at = static_cast<std::size_t>(first); at < static_cast<std::size_t>(end);) {
      const std::size_t row = at / row_length, within = at % row_length, length = row_at(row).size();
      const std::size_t count = std::min(length - within, static_cast<std::size_t>(end) - at);
      piece_of({values.subspan(at, count), within, length}, lo, hi, seed + row * row_length);
      at += count;
    }
  });
}

}  // namespace

void arrange_integers(std::span<std::int64_t> values, std::int64_t row_length, std::int64_t lo, std::int64_t hi,
                      const std::string& form, std::uint64_t seed) {
  plant_integers(values, lo, hi, form, seed);
  const Arrangement* const arrangement = find(kIntegers, form);
  if (arrangement != nullptr && row_length > 0)
    arrange(*arrangement, values, static_cast<std::size_t>(row_length), lo, hi, seed);
}

void arrange_lengths(std::span<std::int64_t> lengths, std::int64_t lo, std::int64_t hi, const std::string& form,
                     std::uint64_t seed) {
  const Arrangement* const arrangement = find(kLengths, form);
  if (arrangement != nullptr && !lengths.empty()) arrange(*arrangement, lengths, lengths.size(), lo, hi, seed);
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
    if (of_domains.contains(form)) return grants_form(form, argument);
    return floating || has_integer_forms(argument);
  });
}

std::string integers_in_words(const std::string& form) {
  const Arrangement* const arrangement = find(kIntegers, form);
  return arrangement == nullptr ? "" : arrangement->words;
}

}  // namespace harness::judge
