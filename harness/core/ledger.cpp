#include "harness/core/ledger.h"

#include "harness/core/json_fields.h"

namespace harness {

HARNESS_ENUM_TABLE(Purpose, "purpose",
                   {{Purpose::search, "search"},
                    {Purpose::baseline, "baseline"},
                    {Purpose::rival, "rival"},
                    {Purpose::confirm, "confirm"},
                    {Purpose::eval, "eval"}})

bool in_emulation(const CampaignRecord& record) {
  const json::json_pointer emulation("/device/emulation");
  return record.environment.is_object() && record.environment.value(emulation, false);
}

}  // namespace harness
