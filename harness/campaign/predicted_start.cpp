#include "harness/campaign/predicted_start.h"

#include "harness/core/json_fields.h"

namespace harness {

static void to_json(json& to, const PredictedPoint& point) {
  to = {{"variant", point.variant}, {"config", config_to_json(point.config)}, {"ns", point.ns}};
}
static void from_json(const json& from, PredictedPoint& point) {
  point = {from.at("variant"), config_from_json(from.at("config")), from.at("ns")};
}
HARNESS_JSON(PredictedStart, arm, gpu, after, begins, points)

}  // namespace harness
