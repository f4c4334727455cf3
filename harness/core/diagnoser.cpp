#include "harness/core/diagnoser.h"

#include "harness/core/json_fields.h"

namespace harness {

void to_json(json& to, const DiagnosisRule& value) {
  to = {{"name", value.name}, {"summary", value.summary},   {"source", value.source},
        {"file", value.file}, {"counters", value.counters}, {"counted", value.counted},
        {"also", value.also}, {"page", value.page},         {"defaults", value.defaults}};
  if (!value.error.empty()) to["error"] = value.error;
}

}  // namespace harness
