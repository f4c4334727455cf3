#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "harness/script/sandbox/random.h"

namespace harness::script {

/// Rows of equal width, one after the other.
struct Matrix {
  std::size_t width = 0;
  std::vector<float> cells;
  std::size_t rows() const { return width == 0 ? 0 : cells.size() / width; }
  const float* row(std::size_t i) const { return cells.data() + i * width; }
};

struct Estimate {
  double mean = 0, deviation = 0;
};

struct ForestOptions {
  int trees = 40;
  int smallest_leaf = 1;  // rows
  std::size_t most_rows =
      300;                // of a tree: beyond them each sees the lower third of the targets and a sample of the rest
  double features = 0.5;  // share of the features that a node tries, at least 1
};

/// Extremely randomized trees for regression (Geurts, Ernst, Wehenkel 2006): a node takes the best of a few random
/// cuts. The deviation of an estimate is the spread of the trees' leaves, their own included.
class Forest {
 public:
  /// `rows` and `targets` are of equal length, at least 1.
  void fit(const Matrix& rows, std::span<const double> targets, const ForestOptions& options, Random& random);
  Estimate estimate(const float* row) const;
  /// The same for many rows, several times as fast.
  std::vector<Estimate> estimates(const Matrix& rows) const;
  bool fitted() const { return !roots_.empty(); }
  /// For each feature the share of all variance that its cuts removed; sums to 1, or to 0 when nothing was cut.
  std::vector<double> importance() const;

 private:
  /// A leaf leads to itself: whoever walks on from it stays.
  struct Node {
    float cut = std::numeric_limits<float>::infinity();
    std::uint32_t feature = 0;
    std::uint32_t below = 0;       // child with values <= cut; the other one follows it
    float mean = 0, variance = 0;  // of a leaf
    std::uint32_t next(const float* row) const { return below + (row[feature] <= cut ? 0U : 1U); }
  };
  struct Cut {
    double gain = 0;
    int feature = -1;
    float at = 0;
  };

  std::vector<std::uint32_t> rows_of_tree(std::span<const std::uint32_t> by_target) const;
  std::uint32_t add_leaf();
  void grow(std::span<const double> targets, std::span<std::uint32_t> here, std::uint32_t node);
  Cut best_cut(std::span<const double> targets, std::span<const std::uint32_t> here);
  const float* column(std::size_t feature) const { return columns_.data() + feature * rows_; }

  ForestOptions options_;
  Random* random_ = nullptr;    // while fitting
  std::vector<float> columns_;  // the rows, transposed: a cut reads one column
  std::size_t rows_ = 0, width_ = 0;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> roots_;
  std::vector<double> removed_;  // variance that cuts of each feature removed
};

}  // namespace harness::script
