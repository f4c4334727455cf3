#pragma once
#include <optional>

#include "harness/cli/command.h"
#include "harness/core/archive.h"

// What was proposed, as commands need it: shown, and made variants again.
namespace harness {

/// `harness history --proposals`: one row a request, the newest first.
int print_proposals(Archive& archive, std::optional<std::int64_t> campaign, std::int64_t limit,
                    const std::string& format);

/// `harness show --proposal N`: the request and all that came of it.
int print_proposal(Archive& archive, std::int64_t proposal, bool as_json);

/// Makes what a campaign accepted for a kernel variants of `catalog` again, so that its iterations can be run. What can
/// no longer be made (its parent has gone) is left out.
void restore_proposed(Catalog& catalog, Ledger& ledger, std::int64_t campaign, const std::string& kernel);

}  // namespace harness
