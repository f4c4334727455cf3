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

 private:
  const Argument& argument_;
  Indexer indexer_;
  Compare compare_;
  Kind kind_;
  double tolerance_, steps_;
};

}  // namespace harness::judge
