#include "harness/core/card.h"

#include "harness/core/json_fields.h"

namespace harness {

HARNESS_ENUM_TABLE(CardVerdict, "verdict on a card",
                   {{CardVerdict::first, "first"},
                    {CardVerdict::good, "good"},
                    {CardVerdict::suspect, "suspect"},
                    {CardVerdict::quarantined, "quarantined"}})
HARNESS_JSON_DEFAULTS(CardState, sm_clock_mhz, memory_clock_mhz, temperature_celsius, power_watts, power_limit_watts,
                      throttle_reasons, ecc_corrected, ecc_uncorrected, xids)
HARNESS_JSON_DEFAULTS(CardCalibration, bytes_per_s, operations_per_s, method, state)

}  // namespace harness
