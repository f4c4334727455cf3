#include "harness/campaign/proposer_panel.h"

#include <algorithm>

namespace harness {
namespace {

// Requests in a row that bring no reply at all: then nobody is there.
constexpr int kMostFailures = 4;
// And proposals in a row of which none became a variant: whatever a strategy thinks of it, this ends.
constexpr std::size_t kMostUseless = 32;
// Of several that are waited for, so long for each in turn.
constexpr double kTurnS = 0.05;

/// Of this proposer, "" of any; what was taken over from the record nobody asked for.
bool is_request_of(const ProposalRecord& record, const std::string& spec) {
  return record.proposer != kFromRecord && (spec.empty() || record.proposer == spec);
}

/// The sums over the requests of this campaign that have ended: those of a proposer, "" of all.
void add_ended(const std::vector<Proposed>& ended, const std::string& spec, ProposerState& state) {
  double latency_s = 0, log_gain = 0, usd = 0;
  bool all_priced = true;
  std::size_t requests = 0;
  for (const Proposed& proposed : ended) {
    const ProposalRecord& record = proposed.record;
    if (!is_request_of(record, spec)) continue;
    ++requests;
    latency_s += record.latency_s;
    all_priced = all_priced && record.usage.usd;
    usd += record.usage.usd.value_or(0);
    if (!record.second_to) ++state.asked;
    if (record.outcome == ProposalOutcome::accepted) ++state.accepted;
    if (proposed.passed) ++state.passed;
    if (proposed.improved) {
      ++state.improved;
      log_gain += proposed.log_gain;
      state.since_improvement = 0;
    } else if (!record.second_to && (record.outcome != ProposalOutcome::accepted || proposed.evaluated)) {
      ++state.since_improvement;
    }
  }
  if (all_priced) state.usd = usd;
  if (state.improved > 0) state.log_gain = log_gain / static_cast<double>(state.improved);
  if (requests == 0) return;
  state.latency_s = latency_s / static_cast<double>(requests);
  if (all_priced) state.usd_each = usd / static_cast<double>(requests);
}

/// What the states of several add to that of all of them.
void add_state(const ProposerState& one, ProposerState& all) {
  all.failed_in_a_row = std::min(all.failed_in_a_row, one.failed_in_a_row);
  all.ready = all.ready || one.ready;
  if (one.earlier_improved > 0) {
    const auto before = static_cast<double>(all.earlier_improved), more = static_cast<double>(one.earlier_improved);
    all.earlier_log_gain = (all.earlier_log_gain.value_or(0) * before + *one.earlier_log_gain * more) / (before + more);
  }
  all.earlier_asked += one.earlier_asked;
  all.earlier_improved += one.earlier_improved;
  if (one.next_usd) all.next_usd = std::min(all.next_usd.value_or(*one.next_usd), *one.next_usd);
  if (one.likely_usd) all.likely_usd = std::min(all.likely_usd.value_or(*one.likely_usd), *one.likely_usd);
  if (!all.latency_s) all.latency_s = one.latency_s;
}

}  // namespace

std::optional<double> price_of(const ProposalUsage& usage, const TokenPrice& price) {
  if (!usage.tokens_in || !usage.tokens_out) return std::nullopt;
  const auto cached = static_cast<double>(std::min(usage.tokens_cached.value_or(0), *usage.tokens_in));
  const double fresh = static_cast<double>(*usage.tokens_in) - cached;
  return (fresh * price.in + cached * price.cached + static_cast<double>(*usage.tokens_out) * price.out) / 1e6;
}

ProposerPanel::ProposerPanel(const CampaignContext& context, const ProposalsSoFar& so_far)
    : context_(context), so_far_(so_far) {
  const std::vector<AskedProposer> named = proposers_of(context.options);
  for (Proposer* const proposer : context.ports.proposers) {
    AskedOne one{proposer, proposer_name(proposer->spec()), proposer->spec(), {}, {}};
    const auto priced = std::ranges::find(named, one.spec, &AskedProposer::spec);
    one.price = priced != named.end() ? priced->price : context.options.token_price;
    asked_.push_back(std::move(one));
  }
}

void ProposerPanel::know(const std::vector<ProposerHistory>& histories) {
  for (std::size_t i = 0; i < std::min(asked_.size(), histories.size()); ++i) asked_[i].history = histories[i];
}

AskedOne& ProposerPanel::of(const std::string& spec) {
  const auto one = std::ranges::find(asked_, spec, &AskedOne::spec);
  return one != asked_.end() ? *one : asked_.front();
}

const AskedOne* ProposerPanel::named(const std::string& name) const {
  const auto one = std::ranges::find(asked_, name, &AskedOne::name);
  return one == asked_.end() ? nullptr : &*one;
}

const AskedOne* ProposerPanel::chosen(const std::string& name) const {
  const auto one = std::ranges::find_if(
      asked_, [&](const AskedOne& each) { return (name.empty() || each.name == name) && is_ready(each); });
  return one == asked_.end() ? nullptr : &*one;
}

bool ProposerPanel::is_ready(const AskedOne& one) const {
  std::size_t useless = 0;  // in a row, until now
  for (const Proposed& proposed : so_far_.ended)
    if (is_request_of(proposed.record, one.spec))
      useless = proposed.record.outcome == ProposalOutcome::accepted ? 0 : useless + 1;
  return one.proposer->ready() && one.failures_in_a_row < kMostFailures && useless < kMostUseless &&
         can_pay_request(one);
}

// Before the tokens are spent: what another request costs at most must fit into what is left.
bool ProposerPanel::can_pay_request(const AskedOne& one) const {
  if (!context_.options.max_cost_usd) return true;
  const std::optional<double> next = next_request_usd(one);
  return next && context_.limits.spent_usd().value_or(0) + under_way_usd() + *next <= *context_.options.max_cost_usd;
}

/// Each of those that are under way may cost as much as the next one.
double ProposerPanel::under_way_usd() const {
  double usd = 0;
  for (const AskedOne& one : asked_)
    usd += static_cast<double>(std::ranges::count(so_far_.asking, one.spec, &ProposalRecord::proposer)) *
           next_request_usd(one).value_or(0);
  return usd;
}

std::optional<double> ProposerPanel::next_request_usd(const AskedOne& one) const {
  std::optional<double> most;
  for (const Proposed& proposed : so_far_.ended)
    if (is_request_of(proposed.record, one.spec) && proposed.record.usage.usd)
      most = std::max(most.value_or(0), *proposed.record.usage.usd);
  if (!one.price) return most;
  const CampaignOptions& options = context_.options;
  const double listed = (static_cast<double>(options.request_tokens) * std::max(one.price->in, one.price->cached) +
                         static_cast<double>(options.reply_tokens) * one.price->out) /
                        1e6;
  return std::max(most.value_or(0), listed);
}

/// Before its first request: its price for the tokens of the others' requests.
std::optional<double> ProposerPanel::likely_usd(const AskedOne& one) const {
  double usd = 0;
  std::int64_t n = 0;
  for (const Proposed& proposed : so_far_.ended)
    if (is_request_of(proposed.record, "") && one.price)
      if (const auto price = price_of(proposed.record.usage, *one.price)) usd += *price, ++n;
  return n > 0 ? std::optional(usd / static_cast<double>(n)) : next_request_usd(one);
}

ProposerState ProposerPanel::state_of(const AskedOne& one) const {
  ProposerState state;
  state.name = one.name;
  state.spec = one.spec;
  add_ended(so_far_.ended, one.spec, state);
  for (const ProposalRecord& request : so_far_.asking)
    if (request.proposer == one.spec) ++state.under_way, state.asked += request.second_to ? 0 : 1;
  state.failed_in_a_row = one.failures_in_a_row;
  state.most_under_way = context_.options.proposals_at_once;
  state.in_flight = state.under_way > 0;
  state.ready = is_ready(one);
  state.earlier_asked = one.history.asked;
  state.earlier_improved = one.history.improved;
  if (one.history.improved > 0) state.earlier_log_gain = one.history.log_gain;
  if (!state.latency_s) state.latency_s = one.history.latency_s;
  if (std::ranges::none_of(so_far_.ended,
                           [&](const Proposed& proposed) { return is_request_of(proposed.record, one.spec); }))
    state.usd_each = one.history.usd_each;
  state.next_usd = next_request_usd(one);
  state.likely_usd = state.usd_each ? state.usd_each : likely_usd(one);
  return state;
}

std::vector<ProposerState> ProposerPanel::each() const {
  std::vector<ProposerState> states;
  for (const AskedOne& one : asked_) states.push_back(state_of(one));
  return states;
}

ProposerState ProposerPanel::together() const {
  const std::vector<ProposerState> states = each();
  if (states.size() == 1) return states.front();
  ProposerState all;
  add_ended(so_far_.ended, "", all);
  for (const ProposalRecord& request : so_far_.asking) all.asked += request.second_to ? 0 : 1;
  all.under_way = static_cast<std::int64_t>(so_far_.asking.size());
  all.most_under_way = context_.options.proposals_at_once;
  all.in_flight = !so_far_.asking.empty();
  all.ready = false;
  all.failed_in_a_row = INT64_MAX;
  for (const ProposerState& one : states) {
    all.name += (all.name.empty() ? "" : ", ") + one.name;
    add_state(one, all);
  }
  all.spec = all.name;
  return all;
}

std::vector<ProposerRow> ProposerPanel::rows() const {
  std::vector<ProposerRow> rows;
  for (const AskedOne& one : asked_) {
    const ProposerState state = state_of(one);
    ProposerRow row{one.name, one.spec, state.asked, state.accepted, state.passed, state.improved};
    row.usd = state.usd;
    for (const Proposed& proposed : so_far_.ended) {
      if (!is_request_of(proposed.record, one.spec)) continue;
      row.log_gain += proposed.log_gain;
      row.waited_s += proposed.record.latency_s;
      row.device_s += proposed.device_s;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Of several one after the other, each for a moment: any of them may answer next.
std::optional<ProposerAnswer> ProposerPanel::next_answer(double patience_s) {
  std::vector<Proposer*> busy;
  for (const AskedOne& one : asked_)
    if (std::ranges::count(so_far_.asking, one.spec, &ProposalRecord::proposer) > 0) busy.push_back(one.proposer);
  if (busy.size() == 1) return busy.front()->take(patience_s, context_.ports.stop);
  const double until = context_.ports.clock.seconds() + patience_s;
  for (;;) {
    for (Proposer* const proposer : busy)
      if (auto answer = proposer->take(std::min(kTurnS, patience_s), context_.ports.stop)) return answer;
    if (patience_s <= 0 || context_.ports.clock.seconds() >= until || context_.ports.stop()) return std::nullopt;
  }
}

void ProposerPanel::cancel() {
  for (const AskedOne& one : asked_) one.proposer->cancel();
}

}  // namespace harness
