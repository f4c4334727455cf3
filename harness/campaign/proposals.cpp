#include "harness/campaign/proposals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/campaign/proposed_variants.h"
#include "harness/campaign/recall.h"
#include "harness/campaign/store_failure.h"
#include "harness/core/error.h"
#include "harness/core/torch_call.h"

namespace harness {
namespace {

// A campaign that waits for replies looks so often whether its user stops it.
constexpr double kAskAgainS = 1;

/// "vectors" of "vectors~3": of a proposed variant, what it was asked for.
std::string asked_technique(const std::string& technique) {
  return technique.substr(0, technique.rfind('~'));
}

/// What is wrong with the text of a reply can be mended by whoever wrote it.
bool is_mendable(ProposalOutcome outcome) {
  return outcome == ProposalOutcome::unparsable || outcome == ProposalOutcome::unappliable ||
         outcome == ProposalOutcome::unusable || outcome == ProposalOutcome::truncated ||
         outcome == ProposalOutcome::twin;
}

ProposalOutcome outcome_of(ProposerAnswer::End end) {
  switch (end) {
    case ProposerAnswer::End::timed_out:
      return ProposalOutcome::timed_out;
    case ProposerAnswer::End::too_long:
      return ProposalOutcome::too_long;
    case ProposerAnswer::End::unavailable:
      return ProposalOutcome::unavailable;
    case ProposerAnswer::End::failed:
    case ProposerAnswer::End::answered:
      break;
  }
  return ProposalOutcome::failed;
}

/// A recorded answer in the place of a request of today.
void take_over(ProposalRecord& record, const ProposalRecord& recorded) {
  const ProposalRecord request = std::exchange(record, recorded);
  record.campaign = request.campaign;
  record.decision = request.decision;
  record.number = request.number;
  record.second_to = request.second_to;
}

}  // namespace

bool Proposals::may_come() const {
  return !panel_.empty() && (under_way() || panel_.is_ready());
}

bool Proposals::is_full() const {
  return static_cast<std::int64_t>(so_far_.asking.size()) >= context_.options.proposals_at_once;
}

void Proposals::refuse_if_unready(const Decision& decision) const {
  const std::string& strategy = context_.options.strategy;
  if (panel_.empty())
    throw bad_input(fmt::format("strategy '{}' asked for a proposal, and no proposer is configured", strategy));
  if (is_full())
    throw bad_input(fmt::format("strategy '{}' asked for a proposal while {} are under way, as many as are allowed",
                                strategy, so_far_.asking.size()));
  if (!decision.proposer.empty() && panel_.named(decision.proposer) == nullptr)
    throw bad_input(fmt::format("strategy '{}' asked the proposer '{}', and there is none of that name", strategy,
                                decision.proposer));
  if (panel_.chosen(decision.proposer) == nullptr)
    throw bad_input(fmt::format("strategy '{}' asked for a proposal of a proposer that is not ready", strategy));
}

void Proposals::ask(const DecisionRecord& cause) {
  const Decision& decision = cause.decision;
  const WorkloadBook& book = context_.state.workload(decision.arm.kernel, decision.arm.workload);
  ProposalRecord record;
  record.campaign = context_.campaign;
  record.decision = cause.id;
  record.arm = decision.arm;
  record.arm.technique = asked_technique(decision.arm.technique);
  record.ask = decision.ask.empty() ? "a new variant that is faster than the best" : decision.ask;
  record.parents = decision.parents;
  const KernelInfo& kernel = context_.ports.catalog.kernel(decision.arm.kernel);
  std::erase_if(record.parents, [&](const std::string& parent) { return find_variant(kernel, parent) == nullptr; });
  if (record.parents.empty())
    record.parents.push_back(book.standings.empty() ? book.plan.baseline.variant
                                                    : book.standings.back().candidate.variant);
  for (std::string& parent : record.parents)  // nothing is made of PyTorch's program
    if (const VariantInfo* const variant = find_variant(kernel, parent); variant != nullptr && calls_torch(*variant))
      parent = first_kernel_of(kernel).name;
  const AskedOne* const one = panel_.chosen(decision.proposer);
  if (one == nullptr) return;  // its workload's baseline took what was left
  record.proposer = one->spec;
  send(std::move(record), {}, decision.patterns);
}

void Proposals::send(ProposalRecord record, const SecondQuestion& second, const std::vector<std::int64_t>& pages) {
  AskedOne& one = panel_.of(record.proposer);
  Proposer& proposer = *one.proposer;
  const std::int64_t most_tokens = context_.options.request_tokens;
  record.number = ++last_number_;
  record.asked_unix = static_cast<double>(context_.ports.clock.unix_seconds());
  if (proposer.needs_request()) {
    const double begin = context_.ports.clock.seconds();
    read_earlier(context_, record.arm.kernel, so_far_);
    record.request = request_text(request_parts(context_, so_far_, record, second, pages), most_tokens);
    context_.limits.work(context_.ports.clock.seconds() - begin);
  }
  if (estimated_tokens(record.request) > most_tokens) {
    record.outcome = ProposalOutcome::unavailable;
    record.message = fmt::format("the request would be about {} tokens, and {} are allowed; {} is too long a source",
                                 estimated_tokens(record.request), most_tokens, record.parents.front());
    record.request.clear();
    ++one.failures_in_a_row;
    finish(std::move(record));
    return;
  }
  const ProposalRecord& request = so_far_.asking.emplace_back(std::move(record));
  double deadline_s = context_.options.proposer_timeout_s;
  if (const auto left = context_.limits.left_s())
    deadline_s = std::min(deadline_s, std::max(1.0, *left - reserve_s_()));
  proposer.begin(request, deadline_s);
}

void Proposals::take_ready() {
  for (std::size_t i = so_far_.asking.size(); i > 0; --i) take(0);
}

void Proposals::take(double patience_s) {
  if (!under_way()) return;
  const double begin = context_.ports.clock.seconds();
  std::optional<ProposerAnswer> answer = panel_.next_answer(patience_s);
  const double waited = context_.ports.clock.seconds() - begin;
  if (patience_s > 0 && waited > 0) {
    context_.limits.work(waited);
    stored([&] { context_.ports.ledger.charge(context_.campaign, "propose", waited); });
  }
  if (!answer) return;
  const auto request = std::ranges::find(so_far_.asking, answer->number, &ProposalRecord::number);
  if (request == so_far_.asking.end()) return;
  ProposalRecord record = std::move(*request);
  so_far_.asking.erase(request);
  if (answer->recorded) take_over(record, *answer->recorded);
  else judge_reply(record, *answer);
  const bool replied = answer->recorded
                           ? !answer->recorded->reply.empty()
                           : answer->end == ProposerAnswer::End::answered && record.outcome != ProposalOutcome::failed;
  AskedOne& one = panel_.of(record.proposer);
  one.failures_in_a_row = replied ? 0 : one.failures_in_a_row + 1;
  const ProposalRecord ended = record;
  finish(std::move(record));
  ask_again(ended);
}

/// What is wrong with the text of a reply is told once; a second reply may be right.
void Proposals::ask_again(const ProposalRecord& first) {
  if (!is_mendable(first.outcome) || first.second_to || !panel_.is_ready(panel_.of(first.proposer))) return;
  if (!context_.limits.affords(context_.state.evaluation_seconds())) return;
  ProposalRecord second;
  second.campaign = context_.campaign;
  second.decision = first.decision;
  second.second_to = first.number;
  second.proposer = first.proposer;
  second.arm = first.arm;
  second.ask = first.ask;
  second.parents = first.parents;
  send(std::move(second),
       {first.message, said_in(first.reply), std::string(name(first.outcome)), first.usage.tokens_out}, {});
}

bool Proposals::wait_instead(const Ending& ending) {
  if (!under_way() || (ending.reason != EndReason::exhausted && ending.reason != EndReason::strategy)) return false;
  context_.say("waiting for the proposer", "proposal");
  const std::size_t asking = so_far_.asking.size();
  while (so_far_.asking.size() == asking) {
    if (context_.stopped() || !context_.limits.affords(context_.state.evaluation_seconds() + reserve_s_())) break;
    take(kAskAgainS);
  }
  return true;
}

void Proposals::drop() {
  if (!under_way()) return;
  panel_.cancel();
  for (ProposalRecord& record : std::exchange(so_far_.asking, {})) {
    record.outcome = ProposalOutcome::interrupted;
    record.message = "the campaign ended before it was answered";
    if (panel_.of(record.proposer).proposer->needs_request()) finish(std::move(record));
  }
}

void Proposals::judge_reply(ProposalRecord& record, const ProposerAnswer& answer) {
  record.reply = answer.text;
  record.log = answer.log;
  record.latency_s = answer.latency_s;
  record.message = answer.why;
  record.outcome = outcome_of(answer.end);
  auto read = read_reply(answer.text, record.usage);  // what it cost counts whatever came of it
  if (answer.end == ProposerAnswer::End::answered) {
    const auto refuse = [&](ReplyProblem problem) {
      record.outcome = problem.outcome;
      record.message = std::move(problem.message);
    };
    if (const auto* reply = std::get_if<ProposalReply>(&read)) keep_lesson(record, *reply);
    if (auto* problem = std::get_if<ReplyProblem>(&read)) refuse(std::move(*problem));
    else if (auto wrong = maker_.make(record, std::get<ProposalReply>(read))) refuse(std::move(*wrong));
  }
  if (const auto& price = panel_.of(record.proposer).price; price && !record.usage.usd) {
    record.usage.usd = price_of(record.usage, *price);
    if (record.usage.usd) record.usage.usd_source = "token price";
  }
}

/// What it learnt from what it was told is told to those who are asked later, here and elsewhere.
void Proposals::keep_lesson(const ProposalRecord& record, const ProposalReply& reply) {
  if (reply.lesson.empty()) return;
  const std::string who = record.usage.model.value_or(record.proposer);
  stored([&] {
    context_.ports.ledger.record_note(context_.campaign, record.arm.kernel,
                                      fmt::format("{} ({}, proposal {})", reply.lesson, who, record.number));
  });
}

// Recorded, shown, and what was accepted becomes arms.
void Proposals::finish(ProposalRecord record) {
  record.id = stored([&] { return context_.ports.ledger.record_proposal(record); });
  context_.limits.pay(record.usage.usd.value_or(0));
  context_.ports.display.proposed(record);
  add(std::move(record));
}

void Proposals::add(ProposalRecord record) {
  if (record.outcome == ProposalOutcome::accepted)
    add_proposed_arms(context_.state.arms(), context_.ports.catalog, context_.ports.scripts, context_.options,
                      context_.device, record);
  so_far_.ended.push_back({std::move(record), false, false, false, 0, 0});
}

void Proposals::recall() {
  const auto before = stored([&] { return context_.ports.ledger.taken_over(); });
  std::vector<ProposalRecord> records = before ? *before : recalled_winners(context_);
  for (ProposalRecord& record : records) {
    record.campaign = context_.campaign;
    record.number = ++last_number_;
    record.asked_unix = static_cast<double>(context_.ports.clock.unix_seconds());
    if (!maker_.make_again(record)) {
      --last_number_;
      continue;
    }
    record.id = stored([&] { return context_.ports.ledger.record_proposal(record); });
    add(std::move(record));
  }
}

void Proposals::show_recalled() const {
  for (const Proposed& proposed : so_far_.ended)
    if (proposed.record.proposer == kFromRecord) context_.ports.display.proposed(proposed.record);
}

void Proposals::restore() {
  for (ProposalRecord& record : context_.ports.ledger.proposals(context_.campaign)) {
    context_.limits.pay(record.usage.usd.value_or(0));
    last_number_ = std::max(last_number_, record.number);
    if (record.outcome == ProposalOutcome::accepted)
      context_.ports.catalog.plugin(record.arm.kernel).add_variant(variant_of(record));
    add(std::move(record));
  }
}

void Proposals::note(const IterationSummary& iteration, const std::string& message, std::optional<double> best_before,
                     bool new_best) {
  if (!panel_.empty()) so_far_.seen.note(iteration, message);
  for (Proposed& proposed : so_far_.ended) {
    const ProposalRecord& record = proposed.record;
    if (record.variant != iteration.candidate.variant || record.arm.kernel != iteration.candidate.kernel) continue;
    // The machine code of another variant: nothing of it is new. Where only the manifest differs, another configuration
    // may still be.
    if (!proposed.evaluated && has_new_source(record) && iteration.outcome == OutcomeKind::no_effect)
      for (Arm& arm : context_.state.arms().arms)
        if (arm.state.proposal == record.number) arm.state.closed = true;
    proposed.evaluated = true;
    proposed.device_s += iteration.wall_s;
    proposed.passed = proposed.passed || iteration.outcome == OutcomeKind::passed;
    if (!new_best || !best_before || !iteration.time_ns || *iteration.time_ns >= *best_before) continue;
    proposed.improved = true;
    proposed.log_gain += std::log(*best_before / *iteration.time_ns);
  }
}

bool Proposals::has_new_source(const ProposalRecord& record) const {
  return context_.ports.catalog.plugin(record.arm.kernel).variant_texts(record.parents.front()).source != record.source;
}

const ProposalRecord* Proposals::of(const Candidate& candidate) const {
  for (const Proposed& proposed : so_far_.ended)
    if (!proposed.record.variant.empty() && proposed.record.variant == candidate.variant &&
        proposed.record.arm.kernel == candidate.kernel)
      return &proposed.record;
  return nullptr;
}

void Proposals::label(AttemptRecord& attempt) const {
  const ProposalRecord* const proposal = of(attempt.candidate);
  if (proposal == nullptr) return;
  const KernelInfo& kernel = context_.ports.catalog.kernel(proposal->arm.kernel);
  const VariantInfo* const parent = find_variant(kernel, proposal->parents.front());
  attempt.label = proposal->label.value_or(fmt::format("proposal {}", proposal->number));
  attempt.parent = parent == nullptr ? "" : parent->source_hash;
}

}  // namespace harness
