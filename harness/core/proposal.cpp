#include "harness/core/proposal.h"

#include "harness/core/json_fields.h"

namespace harness {

HARNESS_ENUM_TABLE(ProposalOutcome, "outcome of a proposal",
                   {{ProposalOutcome::accepted, "accepted"},
                    {ProposalOutcome::twin, "twin"},
                    {ProposalOutcome::unparsable, "unparsable"},
                    {ProposalOutcome::unappliable, "unappliable"},
                    {ProposalOutcome::unusable, "unusable"},
                    {ProposalOutcome::refused, "refused"},
                    {ProposalOutcome::truncated, "truncated"},
                    {ProposalOutcome::too_long, "too_long"},
                    {ProposalOutcome::timed_out, "timed_out"},
                    {ProposalOutcome::failed, "failed"},
                    {ProposalOutcome::unavailable, "unavailable"},
                    {ProposalOutcome::interrupted, "interrupted"}})
HARNESS_JSON_DEFAULTS(ProposalUsage, model, tokens_in, tokens_out, tokens_cached, usd, usd_source)
HARNESS_JSON_DEFAULTS(ProposalRecord, decision, number, second_to, arm, ask, parents, proposer, request, reply, log,
                      usage, latency_s, asked_unix, outcome, message, hypothesis, label, predict_lo, predict_hi, twin,
                      twin_iteration, variant, source, manifest, normal_hash)
HARNESS_JSON_DEFAULTS(TokenPrice, in, out, cached)

}  // namespace harness
