#pragma once
#include "harness/core/enum_text.h"

namespace harness {

/// What a decision says. `try_arm`: the arm's search chooses the next configuration. `close`: never offer the arm
/// again. `confirm`: time the winners again. `stop` ends the campaign with `why`. `propose`: reserved for model
/// clients.
enum class Action { try_arm, confirm, close, stop, propose };

/// Why a campaign ended.
enum class EndReason { budget, cost, goal, exhausted, strategy, script_error, device_lost, store_error, interrupted };

HARNESS_ENUM_TEXT(Action);
HARNESS_ENUM_TEXT(EndReason);

}  // namespace harness
