#pragma once
#include "harness/core/json.h"

namespace harness {

/// Of `harness compare`: for each of the two that ran on several cards, what each card did, its calibrations, and the
/// candidates that were timed on several. Nothing where neither did.
void print_compared_cards(const json& answer);

}  // namespace harness
