#include "harness/script/model/trend.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace harness::script {
namespace {

constexpr std::size_t kFewest = 6;            // results, below which nothing is said
constexpr double kRidges[] = {0.03, 0.3, 3};  // of which the one that foretells best is taken
constexpr double kBelievedFrom = 0.5;         // share of the variance that it must foretell to be believed at all
constexpr double kOfConstant = 1e-6;          // the constant is hardly held back

/// The lower root of a symmetric positive matrix, in place (Cholesky).
void take_root(std::vector<double>& matrix, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) {
      double sum = matrix[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= matrix[i * n + k] * matrix[j * n + k];
      matrix[i * n + j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / matrix[j * n + j];
    }
  }
}

/// Solves root x = right, in place.
void solve_below(const std::vector<double>& root, std::size_t n, double* right) {
  for (std::size_t i = 0; i < n; ++i) {
    double sum = right[i];
    for (std::size_t k = 0; k < i; ++k) sum -= root[i * n + k] * right[k];
    right[i] = sum / root[i * n + i];
  }
}

/// Solves transpose(root) x = right, in place.
void solve_above(const std::vector<double>& root, std::size_t n, double* right) {
  for (std::size_t i = n; i-- > 0;) {
    double sum = right[i];
    for (std::size_t k = i + 1; k < n; ++k) sum -= root[k * n + i] * right[k];
    right[i] = sum / root[i * n + i];
  }
}

double dot(const double* a, const double* b, std::size_t n) {
  return std::inner_product(a, a + n, b, 0.0);
}

}  // namespace

void Trend::fit(std::span<const double> rows, std::size_t width, std::span<const double> targets) {
  const std::size_t count = targets.size();
  width_ = width;
  share_ = 0;
  weights_.assign(width, 0);
  left_out_.assign(count, 0);
  if (count < kFewest) return;
  mean_ = std::accumulate(targets.begin(), targets.end(), 0.0) / static_cast<double>(count);
  double variation = 0;
  for (const double target : targets) variation += (target - mean_) * (target - mean_);
  if (variation <= 1e-12) return;
  products_.assign(width * width, 0);
  moments_.assign(width, 0);
  for (std::size_t row = 0; row < count; ++row) {
    const double* terms = rows.data() + row * width;
    for (std::size_t i = 0; i < width; ++i) {
      moments_[i] += terms[i] * (targets[row] - mean_);
      for (std::size_t j = 0; j <= i; ++j) products_[i * width + j] += terms[i] * terms[j];
    }
  }
  for (const double ridge : kRidges) {
    const double share = std::clamp(1 - try_ridge(rows, targets, ridge) / variation, 0.0, 1.0);
    if (share <= share_) continue;
    share_ = share;
    weights_.swap(tried_);
    left_out_.swap(foretold_);
  }
  share_ = std::max(0.0, (share_ - kBelievedFrom) / (1 - kBelievedFrom));
  for (double& weight : weights_) weight *= share_;
  for (double& each : left_out_) each *= share_;
}

/// Returns the squared errors on results that were left out, summed: e / (1 - h), h the diagonal of the hat matrix
/// (Allen 1974).
double Trend::try_ridge(std::span<const double> rows, std::span<const double> targets, double ridge) {
  std::vector<double> root = products_;
  for (std::size_t i = 0; i < width_; ++i) root[i * width_ + i] += i == 0 ? kOfConstant : ridge;
  take_root(root, width_);
  tried_ = moments_;
  solve_below(root, width_, tried_.data());
  solve_above(root, width_, tried_.data());
  foretold_.assign(targets.size(), 0);
  std::vector<double> part(width_);
  double errors = 0;
  for (std::size_t row = 0; row < targets.size(); ++row) {
    const double* terms = rows.data() + row * width_;
    std::copy_n(terms, width_, part.begin());
    solve_below(root, width_, part.data());
    const double of_itself = std::min(dot(part.data(), part.data(), width_), 0.999);
    const double error = (targets[row] - mean_ - dot(terms, tried_.data(), width_)) / (1 - of_itself);
    foretold_[row] = targets[row] - mean_ - error;
    errors += error * error;
  }
  return errors;
}

double Trend::at(const double* row) const {
  return share_ > 0 ? dot(row, weights_.data(), width_) : 0;
}

}  // namespace harness::script
