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
HARNESS_JSON_DEFAULTS(AskedProposer, spec, price)

namespace {

/// Characters of the name in "NAME=KIND:REST", 0 where it has none.
std::size_t name_length(const std::string& spec) {
  const std::size_t end = spec.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
  return end != std::string::npos && spec[end] == '=' ? end : 0;
}

}  // namespace

std::string proposer_name(const std::string& spec) {
  const std::size_t length = name_length(spec);
  return length == 0 ? spec : spec.substr(0, length);
}

std::string unnamed(const std::string& spec) {
  const std::size_t length = name_length(spec);
  return length == 0 ? spec : spec.substr(length + 1);
}

}  // namespace harness
