#include "harness/core/ledger.h"

namespace harness {

bool in_emulation(const CampaignRecord& record) {
  const json::json_pointer emulation("/device/emulation");
  return record.environment.is_object() && record.environment.value(emulation, false);
}

}  // namespace harness
