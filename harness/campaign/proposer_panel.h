#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/campaign/context.h"
#include "harness/campaign/proposed.h"

namespace harness {

/// Somebody who is asked for variants.
struct AskedOne {
  Proposer* proposer = nullptr;
  std::string name, spec;
  std::optional<TokenPrice> price;
  ProposerHistory history;
  int failures_in_a_row = 0;  // requests that brought no reply
};

/// Those who are asked for variants. Each has its own record, price and end.
class ProposerPanel {
 public:
  ProposerPanel(const CampaignContext& context, const ProposalsSoFar& so_far);
  /// What earlier campaigns brought of each, in the order of the ports.
  void know(const std::vector<ProposerHistory>& histories);

  bool empty() const { return asked_.empty(); }
  AskedOne& of(const std::string& spec);
  /// nullptr: there is none of that name.
  const AskedOne* named(const std::string& name) const;
  /// The one of that name, without a name the first, that may be asked now. nullptr: none may.
  const AskedOne* chosen(const std::string& name) const;
  /// May be asked another time, and can be paid.
  bool is_ready(const AskedOne& one) const;
  bool is_ready() const { return chosen("") != nullptr; }

  /// Each, and all of them as one.
  std::vector<ProposerState> each() const;
  ProposerState together() const;
  /// What each cost and brought, at the end.
  std::vector<ProposerRow> rows() const;

  /// The next answer of any of them, within so many seconds.
  std::optional<ProposerAnswer> next_answer(double patience_s);
  void cancel();

 private:
  bool can_pay_request(const AskedOne& one) const;
  std::optional<double> next_request_usd(const AskedOne& one) const;
  std::optional<double> likely_usd(const AskedOne& one) const;
  double under_way_usd() const;
  ProposerState state_of(const AskedOne& one) const;

  const CampaignContext& context_;
  const ProposalsSoFar& so_far_;
  std::vector<AskedOne> asked_;  // in the order of the ports
};

/// What tokens cost; nothing where they are not known.
std::optional<double> price_of(const ProposalUsage& usage, const TokenPrice& price);

}  // namespace harness
