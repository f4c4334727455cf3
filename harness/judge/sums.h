#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/reference.h"

// How many numbers an element of an output is made from, found out by changing some of them. A manifest that declares
// neither `accuracy` nor operations says nothing of the inner length of a product, and what core/accuracy.h infers is
// too short: a row of A and a column of B serve many elements. So where a launch is off by no more than long sums may
// be, their length is measured before it is refused.
namespace harness::judge {

/// True where the verdict failed for nothing but relative errors of outputs whose sums were inferred, not declared.
bool may_be_longer_sums(const Problem& problem, const Verdict& verdict);

/// An element of a floating input, by its place in row-major order.
struct Probe {
  std::string input;
  std::int64_t element = 0;
};
/// Up to kProbes of each floating input, by `seed`. Inputs whose elements share storage have none.
inline constexpr int kProbes = 3;
std::vector<Probe> choose_probes(const Problem& problem, std::uint64_t seed);
/// The element becomes x (1 + 2^-6), and 2^-6 where it is 0: enough to show in a reference in double, and nothing that
/// a loop of the reference could wait for, as it might with NaN.
void change_element(const Problem& problem, const ImageLayout& layout, const Probe& probe, std::span<std::byte> image);

/// For each floating output, how many elements of one input it follows from, of the input with most. `changed` are the
/// references with one probe each. An input's element that moves m of n outputs is one of (elements * m / n) for each.
std::map<std::string, std::int64_t> sum_lengths(const Problem& problem, const ReferenceValues& reference,
                                                const std::vector<Probe>& probes,
                                                const std::vector<ReferenceValues>& changed);

/// The problem with these lengths, where they are more than was inferred, and with what they allow as tolerances, by
/// the rules of tolerance_at. `impostor`: the error of one precision lower on this problem, by output.
Problem with_sums(Problem problem, const std::map<std::string, std::int64_t>& lengths, const std::string& form,
                  const std::map<std::string, double>& impostor);

}  // namespace harness::judge
