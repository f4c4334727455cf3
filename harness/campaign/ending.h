#pragma once
#include <optional>
#include <string>

#include "harness/core/action.h"

namespace harness {

/// Why a campaign, or a part of it, ends.
struct Ending {
  EndReason reason;
  std::string message;
};

/// Nothing: it goes on.
using Ended = std::optional<Ending>;

/// After a stop or a spent budget, and not where the user, a script, the store or the device ended the campaign.
bool leaves_winners_to_confirm(EndReason reason);

/// Whether it replaces an ordinary ending: the user, a script, the store or the device ended the campaign.
bool is_trouble(EndReason reason);

}  // namespace harness
