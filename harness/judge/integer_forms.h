#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "harness/core/contract.h"

// What the forms of floating inputs (forms.h) are to integers and to ragged lengths: arrangements of values that a draw
// of its own hardly ever meets. Every value stays in the range of its generator.
namespace harness::judge {

/// Integers from lo to hi, row by row: few distinct values, one that dominates, all equal, sorted, reversed, the ends
/// of the range alone, one that is the largest, consecutive ones. Does nothing in the form "nominal".
void arrange_integers(std::span<std::int64_t> values, std::int64_t row_length, std::int64_t lo, std::int64_t hi,
                      const std::string& form, std::uint64_t seed);

/// Lengths from lo to hi: one long and the others shortest, all shortest, all longest, the ends alone, ascending.
void arrange_lengths(std::span<std::int64_t> lengths, std::int64_t lo, std::int64_t hi, const std::string& form,
                     std::uint64_t seed);

/// Whether a form changes an input that is drawn so.
bool has_integer_forms(const Argument& argument);
/// Whether any input of the problem is another one in this form.
bool has_form(const Problem& problem, const std::string& form);
/// What arrange_integers does in this form, for people: "sorted"; "" for "nominal".
std::string integers_in_words(const std::string& form);

}  // namespace harness::judge
