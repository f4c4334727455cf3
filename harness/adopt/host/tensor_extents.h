#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "harness/adopt/host/expression.h"

namespace harness::adopt {

/// Is it "x.size(2)" with this member? Then the tensor and the dimension; -1 counts from the end.
std::optional<std::pair<std::string, int>> extent_of(const std::string& text, std::string_view member);

/// Tensors whose extents the kernel is passed: then their numel() and their strides follow, for tensors are contiguous.
/// Extents that it is not passed are sizes of their own.
class TensorExtents {
 public:
  /// `texts`: whole-numbered parameter -> what the host passes, followed as far as it goes.
  explicit TensorExtents(const std::map<std::string, std::string>& texts);

  /// "x.numel()" and "x.stride(0)"; nullptr: another text, or the tensor's extents are not known.
  FormulaPtr follows(const std::string& text) const;

 private:
  FormulaPtr product(const std::string& tensor, int behind) const;

  std::map<std::string, std::map<int, std::string>> extents_;  // tensor -> dimension -> parameter
};

}  // namespace harness::adopt
