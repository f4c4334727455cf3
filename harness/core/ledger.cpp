#include "harness/core/ledger.h"

#include "harness/core/json_fields.h"

namespace harness {

HARNESS_ENUM_TABLE(Purpose, "purpose",
                   {{Purpose::search, "search"},
                    {Purpose::baseline, "baseline"},
                    {Purpose::rival, "rival"},
                    {Purpose::confirm, "confirm"},
                    {Purpose::eval, "eval"}})

}  // namespace harness
