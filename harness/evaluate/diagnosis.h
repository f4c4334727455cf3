#pragma once
#include <string>
#include <vector>

#include "harness/core/catalog.h"

namespace harness {

/// What one launch at one point of the domain showed.
struct Observation {
  std::map<std::string, Value> shape;
  bool passed = false;
  double error = 0;  // largest relative L2 error of the outputs
};

/// What right and wrong points have in common, in stable words: "only where causal is true; only where S is no multiple
/// of BLOCK_N = 64; the error grows with S / BLOCK_N". "" where the observations do not tell: at least two wrong and
/// two right ones are needed for a condition, three wrong ones for a trend.
std::string diagnose(const std::vector<Observation>& observations, const Config& config);

}  // namespace harness
