#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/contract.h"
#include "harness/core/image.h"
#include "harness/core/outcome.h"
#include "harness/judge/comparison.h"
#include "harness/judge/reference.h"
#include "harness/judge/tolerance.h"

namespace harness::judge {

/// One element: the reference, the same rounded to the output's type, and what the launch left.
struct Element {
  double reference = 0, expected = 0, got = 0;
  std::int64_t ulp = 0;  // floating types
  bool agrees = true;    // both are finite, or both the same infinity, or both NaN
};

/// One output before and after a launch, beside its reference: what a single element is and how wrong it is.
class Output : public Comparison {
 public:
  Output(const Problem& problem, const ImageLayout& layout, std::span<const std::byte> before,
         std::span<const std::byte> after, const Argument& argument, const ReferenceArray& reference);

  /// False outside the valid rows of a ragged output.
  bool valid(std::int64_t logical) const { return lengths_.empty() || in_valid_row(logical); }
  bool untouched(std::int64_t logical) const;  // the same bytes as before the launch
  Element element(std::int64_t logical) const;
  /// The same for those of one row from `logical` on, at most kChunk.
  static constexpr std::int64_t kChunk = 512;
  void elements(std::int64_t logical, std::span<Element> elements) const;
  /// |got - expected| of integers, exactly; of floats in doubles. Infinite where finiteness disagrees.
  double difference(std::int64_t logical, const Element& e) const;
  /// In units of what a single element may be off by; above 1 it is wrong. Infinite where finiteness disagrees.
  double badness(std::int64_t logical, std::int64_t row, const Element& e) const;
  double badness(std::int64_t logical) const {
    return badness(logical, logical / indexer().row_length(), element(logical));
  }
  double row_rms(std::int64_t row) const { return row_rms_[row]; }
  double rms() const { return rms_; }
  double terms() const { return reference_.terms; }
  /// Of one element; 0 where it was not measured.
  double terms(std::int64_t logical) const {
    return reference_.element_terms.empty() ? 0 : reference_.element_terms[logical];
  }
  FirstBad describe(std::int64_t logical) const;

 private:
  const std::byte* unit(std::span<const std::byte> payload, std::int64_t logical) const {
    return payload.data() + indexer().offset(logical) * bytes_;
  }
  bool in_valid_row(std::int64_t logical) const;
  void measure_rows();
  Element compared(double reference, const std::byte* rounded, double expected, const std::byte* left,
                   double got) const;
  std::uint64_t integer_distance(std::int64_t logical) const;

  const ReferenceArray& reference_;
  std::span<const std::byte> before_, after_;
  int bytes_;
  std::vector<std::int64_t> lengths_;  // ragged outputs
  std::vector<double> row_rms_;
  double rms_ = 0;
  LocalFactors factors_ = local_factors(argument().dtype, indexer().row_length());
};

}  // namespace harness::judge
