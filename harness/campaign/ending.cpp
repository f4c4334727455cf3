#include "harness/campaign/ending.h"

namespace harness {

bool leaves_winners_to_confirm(EndReason reason) {
  return reason == EndReason::budget || reason == EndReason::cost || reason == EndReason::goal ||
         reason == EndReason::exhausted || reason == EndReason::strategy;
}

bool is_trouble(EndReason reason) {
  return reason == EndReason::interrupted || reason == EndReason::device_lost || reason == EndReason::script_error ||
         reason == EndReason::store_error;
}

}  // namespace harness
