#include "harness/tune/choice.h"

#include <cmath>
#include <numbers>

namespace harness::tune {
namespace {

/// Of a normal variable with this mean and deviation, the mean of what is above 0.
double mean_above_zero(double mean, double deviation) {
  if (deviation <= 0) return std::max(mean, 0.0);
  const double z = mean / deviation;
  const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
  return mean * 0.5 * std::erfc(-z / std::numbers::sqrt2) + deviation * density;
}

}  // namespace

std::optional<Choice> choose(const Surfaces& surfaces, const Point& point, const Possible& possible) {
  std::optional<Choice> choice;
  for (std::size_t i = 0; i < surfaces.candidates(); ++i) {
    if (!possible(i, point)) continue;
    const Expected expected = surfaces.at(i, point);
    if (!choice || expected.mean < choice->expected.mean) choice = Choice{i, expected, 0, i};
  }
  if (!choice) return choice;
  for (std::size_t i = 0; i < surfaces.candidates(); ++i) {
    if (i == choice->candidate || !possible(i, point)) continue;
    const Expected other = surfaces.at(i, point);
    if (other.measured && choice->expected.measured) continue;
    const double loss =
        mean_above_zero(choice->expected.mean - other.mean, std::hypot(choice->expected.deviation, other.deviation));
    if (loss <= choice->regret) continue;
    choice->regret = loss;
    choice->rival = i;
  }
  choice->regret = std::expm1(choice->regret);
  return choice;
}

std::optional<Doubt> greatest_doubt(const Surfaces& surfaces, const std::vector<Point>& points,
                                    const Possible& possible, double least) {
  std::optional<Doubt> doubt;
  for (const Point& point : points) {
    const auto choice = choose(surfaces, point, possible);
    if (!choice || choice->rival == choice->candidate || choice->regret < least) continue;
    if (doubt && choice->regret <= doubt->regret) continue;
    const Expected rival = surfaces.at(choice->rival, point);
    const bool of_rival =
        !rival.measured && (choice->expected.measured || rival.deviation > choice->expected.deviation);
    doubt = Doubt{of_rival ? choice->rival : choice->candidate, point, choice->regret};
  }
  return doubt;
}

}  // namespace harness::tune
