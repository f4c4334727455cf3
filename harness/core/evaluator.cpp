#include "harness/core/evaluator.h"

#include "harness/core/json_fields.h"

namespace harness {

HARNESS_JSON(StageCosts, decide_s, prepare_s, build_s, gates_s, timing_s, idle_s, wall_s, usd)
HARNESS_ENUM_TABLE(Points, "number of points",
                   {{Points::none, "none"}, {Points::search, "search"}, {Points::finalist, "finalist"}})

}  // namespace harness
