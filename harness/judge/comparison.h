#pragma once
#include <string>

#include "harness/core/contract.h"
#include "harness/judge/indexing.h"

namespace harness::judge {

/// How one output is compared with its reference, whatever the two hold.
class Comparison {
 public:
  enum class Kind { relative, ulp, quantized, other };

  /// `argument` must outlive it.
  explicit Comparison(const Argument& argument);

  const Argument& argument() const { return argument_; }
  const Indexer& indexer() const { return indexer_; }
  Kind kind() const { return kind_; }
  const std::string& kind_name() const { return compare_.kind; }
  const json& options() const { return compare_.options; }
  double tolerance() const { return tolerance_; }
  double steps() const { return steps_; }  // quantized
  /// Absolute errors below it are none: the smallest normal number of what is computed in. A GPU may flush what is
  /// smaller to zero (-ftz), and exp(-x) of one that an honest kernel divides by is lost at either end. Of what is
  /// stored in 16 or 8 bits: what rounding to its subnormal numbers loses, whoever computes it.
  double negligible() const { return negligible_; }

 private:
  const Argument& argument_;
  Indexer indexer_;
  Compare compare_;
  Kind kind_;
  double tolerance_, steps_, negligible_;
};

}  // namespace harness::judge
