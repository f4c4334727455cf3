#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace harness::script {

/// What of a quantity follows smoothly from the parameters: ridge regression (Hoerl and Kennard 1970). It is believed
/// as far as it foretells results that it was not shown, so on rugged ground it says nothing.
class Trend {
 public:
  /// `rows`: `targets.size()` rows of `width` terms each, the first of which is 1.
  void fit(std::span<const double> rows, std::size_t width, std::span<const double> targets);

  /// How far it is believed: 0 where it foretells half of the variance of results that were left out, or less, and 1
  /// where it foretells all of it.
  double share() const { return share_; }
  const std::vector<double>& weights() const { return weights_; }
  /// Of a row, the part of the target that lies above the mean and follows from the terms.
  double at(const double* row) const;
  /// The same of a fitted row, as all the others foretell it.
  double left_out(std::size_t row) const { return left_out_[row]; }

 private:
  double try_ridge(std::span<const double> rows, std::span<const double> targets, double ridge);
  std::size_t width_ = 0;
  double share_ = 0, mean_ = 0;
  std::vector<double> products_;             // of the terms, summed over the rows: width x width
  std::vector<double> moments_;              // of the terms with the targets
  std::vector<double> weights_, tried_;      // of the terms
  std::vector<double> left_out_, foretold_;  // of the rows
};

}  // namespace harness::script
