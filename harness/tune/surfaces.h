#pragma once
#include <optional>
#include <vector>

#include "harness/tune/grid.h"

namespace harness::tune {

/// What is expected of a configuration at a point: the logarithm of its time over the baseline's there.
struct Expected {
  double mean = 0, deviation = 0;
  bool measured = false;  // there
};

/// How configurations compare with the baseline over sizes. The first is the baseline, which is 0 everywhere; of each
/// other the logarithms are a Gaussian process over the logarithms of the sizes (Rasmussen and Williams, "Gaussian
/// Processes for Machine Learning", 2006, section 2.2), whose correlation falls with the distance in doublings. How
/// fast it falls, and how far they lie from their mean, is one answer for all configurations: the likeliest.
class Surfaces {
 public:
  explicit Surfaces(std::size_t candidates) : series_(candidates) {}
  /// What was measured of a candidate; of one measured before at the same point the newer counts.
  void add(std::size_t candidate, const Point& point, double log_ratio);
  Expected at(std::size_t candidate, const Point& point) const;
  std::optional<double> measured(std::size_t candidate, const Point& point) const;
  std::size_t candidates() const { return series_.size(); }

 private:
  struct Series {
    std::vector<Point> points;
    std::vector<double> values;
  };
  struct Fitted {
    double mean = 0;
    std::vector<double> lower;    // of the correlations' Cholesky factors, row by row
    std::vector<double> weights;  // correlations^-1 (values - mean)
  };
  Fitted fit(const Series& series, double reach) const;
  void learn() const;

  std::vector<Series> series_;
  mutable bool known_ = false;  // what follows is of all that was added
  mutable double reach_ = 0, spread_ = 0;
  mutable std::vector<Fitted> fitted_;
};

}  // namespace harness::tune
