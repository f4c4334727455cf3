#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/reference.h"

// A sum of terms of both signs may come out near zero. An honest error is relative to the terms, not to what is left of
// them. On plain inputs many elements have a common norm that tells the size of their terms; of a few elements, and in
// hostile forms, where every sum may cancel (a ramp from -1 to 1), it is measured when a launch seems wrong.
namespace harness::judge {

/// Outputs of so few elements are looked at again on plain inputs.
inline constexpr std::int64_t kFewTerms = 64;
/// The reference on inputs that were changed a little, on the same changed the other way, and on the same changed by
/// half as much: what saturates may look linear from both sides (a softmax moves like a tangens hyperbolicus).
struct ChangedPair {
  ReferenceValues up, down, half_up, half_down;
};
/// How many pairs tell the size of the terms: more of a few elements than of many.
int count_term_trials(const Problem& problem, const std::string& form);

/// True where the verdict failed for nothing but relative errors that a cancellation can have made of honest ones.
bool may_be_cancellation(const Problem& problem, const Verdict& verdict, const std::string& form);

/// Every floating input x becomes x (1 + d) or x (1 - d), d = `change`, by `seed` and its place.
void change_inputs(const Problem& problem, const ImageLayout& layout, std::uint64_t seed, double change,
                   std::span<std::byte> image);
/// By how much, of the inputs of this problem: so little that products of changes are nothing, and so much that what
/// the coarsest input's type rounds away of half of it is nothing either.
double term_change(const Problem& problem);

/// Sets `terms` and `element_terms` of these outputs. The rms of (up - down) / (2 term_change) is, for a sum, the root
/// of the squares' sum of its terms: what typical errors are relative to. In hostile forms times the root of their
/// number, which is sum|x| at the most: what the bound on errors is relative to (core/accuracy.h). Left at 0 where the
/// output does not follow its inputs linearly: an exponential of large values is steep and does not cancel.
void measure_terms(const Problem& problem, ReferenceValues& reference, const std::vector<ChangedPair>& pairs,
                   const std::string& form);

}  // namespace harness::judge
