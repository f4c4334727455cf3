#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/campaign/context.h"
#include "harness/campaign/proposal_maker.h"
#include "harness/campaign/proposal_parts.h"
#include "harness/campaign/proposed.h"
#include "harness/campaign/proposer_panel.h"

namespace harness {

/// Asks for variants and takes them in. Requests are under way while other arms are evaluated; nothing waits for them
/// but a campaign that has nothing else to do. Without a proposer it has nothing to say. Of several each has its own
/// record, price and end.
class Proposals {
 public:
  /// `reserve_s`: what is kept for confirming winners, now.
  Proposals(CampaignContext& context, std::function<double()> reserve_s)
      : context_(context), reserve_s_(std::move(reserve_s)), panel_(context, so_far_), maker_(context, so_far_) {}

  /// What earlier campaigns brought of each, in the order of the ports; frozen at the start.
  void know(const std::vector<ProposerHistory>& histories) { panel_.know(histories); }
  /// A new campaign begins with the winners of the record, whoever found them. Nothing is shown of them yet.
  void recall();
  /// Shows what recall() took over.
  void show_recalled() const;
  /// Of a campaign that goes on: what was accepted then is a variant again.
  void restore();

  /// Something may still come: a request is under way, or another may be sent.
  bool may_come() const;
  bool under_way() const { return !so_far_.asking.empty(); }
  bool is_full() const;
  const ProposerPanel& panel() const { return panel_; }
  /// Throws Error(bad_input) where this decision may not ask now.
  void refuse_if_unready(const Decision& decision) const;
  /// Sends the request of a decision.
  void ask(const DecisionRecord& cause);
  /// Takes every reply that has come.
  void take_ready();
  /// With nothing else to do, a campaign waits for what is under way instead of ending. False: it ends.
  bool wait_instead(const Ending& ending);
  /// The campaign ends: what is under way is given up.
  void drop();

  /// How a proposed variant did, and what is known of any. `message`: why it did not pass. `best_before`: the
  /// workload's best time when its evaluation began.
  void note(const IterationSummary& iteration, const std::string& message, std::optional<double> best_before,
            bool new_best);
  /// nullptr: the candidate's variant was not proposed.
  const ProposalRecord* of(const Candidate& candidate) const;
  /// Who proposed it, and the source that it began with.
  void label(AttemptRecord& attempt) const;

 private:
  void send(ProposalRecord record, const SecondQuestion& second, const std::vector<std::int64_t>& pages);
  void take(double patience_s);
  void judge_reply(ProposalRecord& record, const ProposerAnswer& answer);
  void keep_lesson(const ProposalRecord& record, const ProposalReply& reply);
  void ask_again(const ProposalRecord& first);
  void finish(ProposalRecord record);
  void add(ProposalRecord record);
  bool has_new_source(const ProposalRecord& record) const;

  CampaignContext& context_;
  std::function<double()> reserve_s_;
  ProposalsSoFar so_far_;
  ProposerPanel panel_;
  ProposalMaker maker_;
  std::int64_t last_number_ = 0;  // of a request
};

}  // namespace harness
