#pragma once
#include <optional>

#include "harness/cli/asking.h"
#include "harness/cli/command.h"
#include "harness/core/archive.h"

// What was proposed, as commands need it: shown, and made variants again.
namespace harness {

/// `harness history --proposals`: one row a request, the newest first.
int print_proposals(Archive& archive, std::optional<std::int64_t> campaign, std::int64_t limit,
                    const std::string& format);

/// `harness history --proposers`: one row for each who was asked.
int print_proposers(Archive& archive, std::optional<std::int64_t> campaign, const Asking& asking);

/// `harness history --episodes`: a JSON line a request, the oldest first, for those who train models: the request, the
/// reply, what it became, and a reward. Nothing in it is hidden from who is judged.
int print_episodes(Archive& archive, std::optional<std::int64_t> campaign, std::int64_t limit);

/// `harness show --proposal N`: the request and all that came of it.
int print_proposal(Archive& archive, std::int64_t proposal, bool as_json);

}  // namespace harness
