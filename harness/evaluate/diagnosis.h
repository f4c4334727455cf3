#pragma once
#include <string>
#include <vector>

#include "harness/core/catalog.h"

namespace harness {

/// What one launch at one point of the domain showed.
struct JudgedPoint {
  std::map<std::string, Value> shape;
  bool passed = false;
  double error = 0;  // largest relative L2 error of the outputs
};

/// What right and wrong points have in common, in stable words: "only where causal is true; only where S is no multiple
/// of BLOCK_N = 64; the error grows with S / BLOCK_N". "" where the observations do not tell: at least two wrong and
/// two right ones are needed for a condition, three wrong ones for a trend.
std::string diagnose(const std::vector<JudgedPoint>& observations, const Config& config);

/// Places of a pattern ("rows >= 64", "every 32-th row") in tiles of the candidate's own parameters: "64 = 2 x BLOCK_M
/// (32)"; "" where none of its numbers is a multiple of one.
std::string in_tiles(const std::string& pattern, const Config& config);

}  // namespace harness
