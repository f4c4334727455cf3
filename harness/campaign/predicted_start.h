#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/strategy.h"

namespace harness {

struct PredictedPoint {
  std::string variant;
  Config config;
  double ns = 0;
};

/// What counting predicted of an arm's configurations before its search could know better. It is kept among the
/// campaign's options, so that a resume and a replay tell searches the same at the same point.
struct PredictedStart {
  ArmId arm;
  std::string gpu;                     // whose times they are
  std::int64_t after = 0;              // iterations that had ended when the campaign was told
  bool begins = false;                 // the search was asked for nothing before
  std::vector<PredictedPoint> points;  // the fastest first
};

void to_json(json& to, const PredictedStart& value);
void from_json(const json& from, PredictedStart& value);

}  // namespace harness
