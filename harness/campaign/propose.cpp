#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/campaign/loop.h"
#include "harness/campaign/proposal_reply.h"
#include "harness/campaign/proposal_request.h"
#include "harness/campaign/proposed_variants.h"
#include "harness/campaign/store_failure.h"
#include "harness/core/error.h"
#include "harness/core/floor.h"

// The part of the loop that asks for variants and takes them in. Requests are under way while other arms are evaluated;
// nothing waits for them but a campaign that has nothing else to do.
namespace harness {
namespace {

// Requests in a row that bring no reply at all: then nobody is there.
constexpr int kMostFailures = 4;
// And proposals in a row of which none became a variant: whatever a strategy thinks of it, this ends.
constexpr std::size_t kMostUseless = 32;
constexpr double kAskAgainS = 1;
constexpr std::size_t kLongestKept = 600;

std::string place_key(const std::string& kernel, const std::string& workload, const std::string& variant) {
  return kernel + "\n" + workload + "\n" + variant;
}

/// "vectors" of "vectors~3": of a proposed variant, what it was asked for.
std::string asked_technique(const std::string& technique) {
  return technique.substr(0, technique.rfind('~'));
}

/// What a profile says, a sentence each: the diagnosis, and its numbers.
void say_profile(const Profile& profile, std::vector<std::string>& said) {
  if (profile.diagnosis) said.push_back(fmt::format("diagnosis: {}", profile.diagnosis->text));
  said.push_back(fmt::format("profile ({}): {}", name(profile.source), in_words(profile.numbers)));
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

std::optional<double> price_of(const ProposalUsage& usage, const TokenPrice& price) {
  if (!usage.tokens_in || !usage.tokens_out) return std::nullopt;
  const auto cached = static_cast<double>(std::min(usage.tokens_cached.value_or(0), *usage.tokens_in));
  const double fresh = static_cast<double>(*usage.tokens_in) - cached;
  return (fresh * price.in + cached * price.cached + static_cast<double>(*usage.tokens_out) * price.out) / 1e6;
}

std::string fate_of_older(const RecordedTwin& twin) {
  if (!twin.speedup) return fmt::format("which ended as {} in iteration {}", twin.outcome, twin.iteration);
  return fmt::format("which {} at {:.2f}x in iteration {}; harness adopt --from {} makes files of it", twin.outcome,
                     *twin.speedup, twin.iteration, twin.iteration);
}

std::string first_line(const std::string& text) {
  return text.substr(0, std::min(text.find('\n'), kLongestKept));
}

}  // namespace

bool Campaign::may_still_be_proposed() {
  return ports_.proposer != nullptr && (!asking_.empty() || proposer_is_ready());
}

bool Campaign::proposer_is_ready() {
  const bool some_useful = proposals_.size() < kMostUseless ||
                           std::any_of(proposals_.end() - kMostUseless, proposals_.end(), [](const Proposed& each) {
                             return each.record.outcome == ProposalOutcome::accepted;
                           });
  return ports_.proposer->ready() && failures_in_a_row_ < kMostFailures && some_useful && can_pay_request();
}

// Before the tokens are spent: what another request costs at most must fit into what is left.
bool Campaign::can_pay_request() {
  if (!options_.max_cost_usd) return true;
  const std::optional<double> next = next_request_usd();
  const auto promised = static_cast<double>(asking_.size());  // each of those under way may cost as much
  return next && spent_usd().value_or(0) + (promised + 1) * *next <= *options_.max_cost_usd;
}

std::optional<double> Campaign::next_request_usd() const {
  std::optional<double> most;
  for (const Proposed& each : proposals_)
    if (each.record.usage.usd) most = std::max(most.value_or(0), *each.record.usage.usd);
  if (!options_.token_price) return most;
  const TokenPrice& price = *options_.token_price;
  const double listed = (static_cast<double>(options_.request_tokens) * std::max(price.in, price.cached) +
                         static_cast<double>(options_.reply_tokens) * price.out) /
                        1e6;
  return std::max(most.value_or(0), listed);
}

ProposerState Campaign::proposer_state() {
  ProposerState state;
  state.spec = ports_.proposer->spec();
  double latency_s = 0, log_gain = 0;
  bool all_known = true;
  double usd = 0;
  for (const Proposed& each : proposals_) {
    const ProposalRecord& record = each.record;
    latency_s += record.latency_s;
    all_known = all_known && record.usage.usd;
    usd += record.usage.usd.value_or(0);
    if (!record.second_to) ++state.asked;
    if (record.outcome == ProposalOutcome::accepted) ++state.accepted;
    if (each.passed) ++state.passed;
    if (each.improved) {
      ++state.improved;
      log_gain += each.log_gain;
      state.since_improvement = 0;
    } else if (!record.second_to && (record.outcome != ProposalOutcome::accepted || each.evaluated)) {
      ++state.since_improvement;
    }
  }
  state.failed_in_a_row = failures_in_a_row_;
  for (const ProposalRecord& each : asking_)
    if (!each.second_to) ++state.asked;
  state.under_way = static_cast<std::int64_t>(asking_.size());
  state.most_under_way = options_.proposals_at_once;
  state.in_flight = state.under_way > 0;
  state.ready = proposer_is_ready();
  if (!proposals_.empty()) state.latency_s = latency_s / static_cast<double>(proposals_.size());
  if (all_known) state.usd = usd;
  state.earlier_asked = proposer_history_.asked;
  state.earlier_improved = proposer_history_.improved;
  if (proposer_history_.improved > 0) state.earlier_log_gain = proposer_history_.log_gain;
  if (!state.latency_s) state.latency_s = proposer_history_.latency_s;
  if (!proposals_.empty() && all_known) state.usd_each = usd / static_cast<double>(proposals_.size());
  else if (proposals_.empty()) state.usd_each = proposer_history_.usd_each;
  state.next_usd = next_request_usd();
  if (state.improved > 0) state.log_gain = log_gain / static_cast<double>(state.improved);
  return state;
}

Campaign::Waits Campaign::ask_for_proposal(DecisionRecord taken) {
  if (ports_.proposer == nullptr)
    throw bad_input(
        fmt::format("strategy '{}' asked for a proposal, and no proposer is configured", options_.strategy));
  if (static_cast<std::int64_t>(asking_.size()) >= options_.proposals_at_once)
    throw bad_input(fmt::format("strategy '{}' asked for a proposal while {} are under way, as many as are allowed",
                                options_.strategy, asking_.size()));
  if (!may_still_be_proposed())
    throw bad_input(
        fmt::format("strategy '{}' asked for a proposal of a proposer that is not ready", options_.strategy));
  const Decision& decision = taken.decision;
  WorkloadBook& book = state_.workload(decision.arm.kernel, decision.arm.workload);
  Waits begins = begin_workload(book, taken);
  if (Ended ended = co_await begins) co_return ended;
  if (static_cast<std::int64_t>(asking_.size()) >= options_.proposals_at_once) co_return std::nullopt;  // meanwhile
  ProposalRecord record;
  record.campaign = campaign_;
  record.decision = taken.id;
  record.arm = decision.arm;
  record.arm.technique = asked_technique(decision.arm.technique);
  record.ask = decision.ask.empty() ? "a new variant that is faster than the best" : decision.ask;
  record.parents = decision.parents;
  const KernelInfo& kernel = ports_.catalog.kernel(decision.arm.kernel);
  std::erase_if(record.parents, [&](const std::string& parent) { return find_variant(kernel, parent) == nullptr; });
  if (record.parents.empty())
    record.parents.push_back(book.standings.empty() ? book.plan.baseline.variant
                                                    : book.standings.back().candidate.variant);
  send_request(std::move(record), "", "", decision.patterns);
  co_return std::nullopt;
}

void Campaign::send_request(ProposalRecord record, const std::string& wrong, const std::string& last_reply,
                            const std::vector<std::int64_t>& pages) {
  record.number = ++last_number_;
  record.proposer = ports_.proposer->spec();
  record.asked_unix = static_cast<double>(ports_.clock.unix_seconds());
  if (ports_.proposer->needs_request()) {
    const double begin = ports_.clock.seconds();
    record.request = request_for_proposal(record, wrong, last_reply, pages);
    busy_s_ += ports_.clock.seconds() - begin;
  }
  if (estimated_tokens(record.request) > options_.request_tokens) {
    record.outcome = ProposalOutcome::unavailable;
    record.message = fmt::format("the request would be about {} tokens, and {} are allowed; {} is too long a source",
                                 estimated_tokens(record.request), options_.request_tokens, record.parents.front());
    record.request.clear();
    ++failures_in_a_row_;
    finish_proposal(std::move(record));
    return;
  }
  const ProposalRecord& asked = asking_.emplace_back(std::move(record));
  double deadline_s = options_.proposer_timeout_s;
  if (const auto left = budget_left()) deadline_s = std::min(deadline_s, std::max(1.0, *left - reserve_seconds()));
  ports_.proposer->begin(asked, deadline_s);
}

std::string Campaign::request_for_proposal(const ProposalRecord& record, const std::string& wrong,
                                           const std::string& last_reply, const std::vector<std::int64_t>& pages) {
  RequestParts parts;
  const ArmId& arm = record.arm;
  WorkloadBook& book = state_.workload(arm.kernel, arm.workload);
  parts.id = fmt::format("{}-{}", campaign_, record.number);
  parts.ask = record.ask;
  parts.arm = arm;
  parts.problem = ports_.catalog.problem(arm.kernel, arm.workload);
  parts.kernel = ports_.catalog.kernel_texts(arm.kernel);
  parts.device = device_;
  for (const std::string& variant : record.parents) parts.parents.push_back(request_parent(arm, variant));
  for (const auto& [variant, seen] : seen_in_order_) {
    if (seen->kernel != arm.kernel || seen->workload != arm.workload) continue;
    RequestTry tried{variant, "", seen->outcome, seen->message, seen->fingerprint, seen->speedup};
    for (const Proposed& each : proposals_)
      if (each.record.variant == variant) tried.hypothesis = each.record.hypothesis;
    parts.tried.push_back(std::move(tried));
  }
  for (const ProposalRecord& each : asking_)
    if (each.arm.kernel == arm.kernel && each.number != record.number) parts.asked_beside.push_back(each.ask);
  for (const Proposed& each : proposals_)
    if (each.record.outcome != ProposalOutcome::accepted && each.record.arm.kernel == arm.kernel)
      parts.tried.push_back({fmt::format("proposal {}", each.record.number), each.record.hypothesis,
                             std::string(name(each.record.outcome)), each.record.message, "", std::nullopt});
  if (ports_.playbook != nullptr && !pages.empty())
    for (const Pattern& page : ports_.playbook->patterns())
      if (std::ranges::find(pages, page.id) != pages.end()) parts.pages.emplace_back(page.title, page.text);
  if (const auto floor = floor_ns(parts.problem.work, device_)) parts.floor_ns = floor->ns;
  if (!book.standings.empty()) parts.best_ns = book.standings.back().time_ns;
  parts.baseline_ns = book.baseline_ns;
  parts.left_s = budget_left();
  if (options_.max_cost_usd) parts.left_usd = *options_.max_cost_usd - spent_usd().value_or(0);
  parts.problem_of_reply = wrong;
  parts.last_reply = last_reply;
  return request_text(std::move(parts), options_.request_tokens);
}

RequestParent Campaign::request_parent(const ArmId& arm, const std::string& variant) {
  RequestParent parent;
  parent.variant = variant;
  parent.texts = ports_.catalog.variant_texts(arm.kernel, variant);
  parent.outcome = "not tried";
  const auto at = seen_.find(place_key(arm.kernel, arm.workload, variant));
  if (at == seen_.end()) return parent;
  const Seen& seen = at->second;
  parent.config = json::object();
  for (const auto& [name, value] : seen.candidate.config) parent.config[name] = value_to_json(value);
  parent.outcome = seen.outcome;
  parent.time_ns = seen.time_ns;
  parent.speedup = seen.speedup;
  std::vector<std::string>& said = parent.diagnosis;
  if (const auto launch = launch_of(seen.candidate, arm.workload))
    said.push_back(fmt::format("counted: {} launches, {} CTAs of {} threads, {} bytes of dynamic shared memory",
                               launch->kernels, launch->ctas, launch->threads_per_cta, launch->shared_bytes));
  if (seen.registers)
    said.push_back(fmt::format("counted: {} registers a thread, {} bytes spilled, {} bytes of static shared memory",
                               *seen.registers, seen.spill_bytes.value_or(0), seen.shared_bytes.value_or(0)));
  const auto floor = floor_ns(ports_.catalog.problem(arm.kernel, arm.workload).work, device_);
  if (floor && seen.time_ns)
    said.push_back(fmt::format("measured: {:.0f} % of the floor, which is made by {}", 100 * floor->ns / *seen.time_ns,
                               floor->binds));
  if (const Profile* profile = state_.find_profile(arm.workload, seen.candidate)) say_profile(*profile, said);
  if (!seen.message.empty()) said.push_back(seen.message);
  if (!seen.fingerprint.empty()) said.push_back("wrong elements: " + seen.fingerprint);
  return parent;
}

// What is known of each variant on each workload: its fastest time, else how it last ended.
void Campaign::note_seen(const IterationSummary& iteration, const std::string& message) {
  if (ports_.proposer == nullptr) return;
  const Candidate& candidate = iteration.candidate;
  const std::string key = place_key(candidate.kernel, iteration.workload, candidate.variant);
  const auto [at, fresh] = seen_.try_emplace(key);
  Seen& seen = at->second;
  if (fresh) seen_in_order_.emplace_back(candidate.variant, &seen);
  if (!fresh && seen.time_ns && !(iteration.time_ns && *iteration.time_ns < *seen.time_ns)) return;
  seen = {candidate.kernel,
          iteration.workload,
          candidate,
          iteration.iteration,
          std::string(name(iteration.outcome)),
          first_line(message),
          iteration.fingerprint,
          iteration.time_ns,
          iteration.speedup,
          iteration.registers,
          iteration.spill_bytes,
          iteration.shared_bytes};
}

// How a proposed variant did: `best_before` is the workload's best time when its evaluation began.
void Campaign::note_proposed(const IterationSummary& iteration, std::optional<double> best_before, bool new_best) {
  for (Proposed& each : proposals_) {
    if (each.record.variant != iteration.candidate.variant || each.record.arm.kernel != iteration.candidate.kernel)
      continue;
    // The machine code of another variant: nothing of it is new. Where only the manifest differs, another configuration
    // may still be.
    if (!each.evaluated && new_source(each.record) && iteration.outcome == OutcomeKind::no_effect)
      for (Arm& arm : state_.arms().arms)
        if (arm.state.proposal == each.record.number) arm.state.closed = true;
    each.evaluated = true;
    each.passed = each.passed || iteration.outcome == OutcomeKind::passed;
    if (!new_best || !best_before || !iteration.time_ns || *iteration.time_ns >= *best_before) continue;
    each.improved = true;
    each.log_gain += std::log(*best_before / *iteration.time_ns);
  }
}

bool Campaign::new_source(const ProposalRecord& record) {
  return ports_.catalog.variant_texts(record.arm.kernel, record.parents.front()).source != record.source;
}

const ProposalRecord* Campaign::proposal_of(const Candidate& candidate) const {
  for (const Proposed& each : proposals_)
    if (!each.record.variant.empty() && each.record.variant == candidate.variant &&
        each.record.arm.kernel == candidate.kernel)
      return &each.record;
  return nullptr;
}

void Campaign::take_proposal(double patience_s) {
  if (asking_.empty()) return;
  const double begin = ports_.clock.seconds();
  std::optional<ProposerAnswer> answer = ports_.proposer->take(patience_s, ports_.stop);
  const double waited = ports_.clock.seconds() - begin;
  if (patience_s > 0 && waited > 0) {
    busy_s_ += waited;
    stored([&] { ports_.ledger.charge(campaign_, "propose", waited); });
  }
  if (!answer) return;
  const auto asked = std::ranges::find(asking_, answer->number, &ProposalRecord::number);
  if (asked == asking_.end()) return;
  ProposalRecord record = std::move(*asked);
  asking_.erase(asked);
  if (answer->recorded) take_over(record, *answer->recorded);
  else judge_reply(record, *answer);
  const bool replied =
      answer->recorded ? !answer->recorded->reply.empty() : answer->end == ProposerAnswer::End::answered;
  failures_in_a_row_ = replied ? 0 : failures_in_a_row_ + 1;
  const bool again = is_mendable(record.outcome) && !record.second_to;
  ProposalRecord second = record;
  finish_proposal(std::move(record));
  if (!again || !may_still_be_proposed() || !affords(state_.evaluation_seconds())) return;
  ProposalRecord mended;
  mended.campaign = campaign_;
  mended.decision = second.decision;
  mended.second_to = second.number;
  mended.arm = second.arm;
  mended.ask = second.ask;
  mended.parents = second.parents;
  send_request(std::move(mended), second.message, second.reply, {});
}

// With nothing else to do, a campaign waits for what is under way instead of ending.
bool Campaign::waits_for_proposal(const Ending& ending) {
  if (asking_.empty() || (ending.reason != EndReason::exhausted && ending.reason != EndReason::strategy)) return false;
  say("waiting for the proposer", "proposal");
  const std::size_t under_way = asking_.size();
  while (asking_.size() == under_way) {
    if ((ports_.stop && ports_.stop()) || !affords(state_.evaluation_seconds() + reserve_seconds())) break;
    take_proposal(kAskAgainS);
  }
  return true;
}

void Campaign::drop_requests() {
  if (asking_.empty()) return;
  ports_.proposer->cancel();
  for (ProposalRecord& record : std::exchange(asking_, {})) {
    record.outcome = ProposalOutcome::interrupted;
    record.message = "the campaign ended before it was answered";
    if (ports_.proposer->needs_request()) finish_proposal(std::move(record));
  }
}

void Campaign::take_over(ProposalRecord& record, const ProposalRecord& recorded) {
  const ProposalRecord asked = record;
  record = recorded;
  record.campaign = asked.campaign;
  record.decision = asked.decision;
  record.number = asked.number;
  record.second_to = asked.second_to;
}

void Campaign::judge_reply(ProposalRecord& record, const ProposerAnswer& answer) {
  record.reply = answer.text;
  record.log = answer.log;
  record.latency_s = answer.latency_s;
  record.message = answer.why;
  record.outcome = outcome_of(answer.end);
  if (answer.end == ProposerAnswer::End::answered) {
    const auto refuse = [&](ReplyProblem problem) {
      record.outcome = problem.outcome;
      record.message = std::move(problem.message);
    };
    auto read = read_reply(answer.text, record.usage);
    if (auto* problem = std::get_if<ReplyProblem>(&read)) refuse(std::move(*problem));
    else if (auto wrong = make_variant(record, std::get<ProposalReply>(read))) refuse(std::move(*wrong));
  }
  if (!record.usage.usd && options_.token_price) {
    record.usage.usd = price_of(record.usage, *options_.token_price);
    if (record.usage.usd) record.usage.usd_source = "token price";
  }
}

std::optional<ReplyProblem> Campaign::make_variant(ProposalRecord& record, const ProposalReply& reply) {
  const std::string& kernel = record.arm.kernel;
  const std::string& parent = record.parents.front();
  record.hypothesis = reply.hypothesis;
  record.label = reply.label;
  record.predict_lo = reply.predict_lo;
  record.predict_hi = reply.predict_hi;
  const VariantTexts texts = ports_.catalog.variant_texts(kernel, parent);
  if (reply.source) record.source = *reply.source;
  else {
    auto edited = edited_source(texts.source, reply.edits);
    if (auto* problem = std::get_if<ReplyProblem>(&edited)) return *problem;
    record.source = std::move(std::get<std::string>(edited));
  }
  record.normal_hash = normal_hash(record.source, texts.manifest, reply.manifest);
  if (find_twin(record, reply.manifest.empty()))
    return ReplyProblem{ProposalOutcome::twin, fmt::format("it is the same as {}{}", record.twin, fate_of(record))};
  if (const auto older = find_older_twin(record, reply.manifest.empty())) {
    record.twin = older->variant;
    return ReplyProblem{ProposalOutcome::twin, fmt::format("it is the same as {} of campaign {}, {}", older->variant,
                                                           older->campaign, fate_of_older(*older))};
  }
  ManifestChange change;
  change.technique = fmt::format("{}~{}", record.arm.technique, record.number);
  change.parts = reply.manifest;
  constexpr double kLeast = 0.05, kMost = 1000;
  change.speedup_lo = std::clamp(reply.predict_lo.value_or(0.8), kLeast, kMost);
  change.speedup_hi = std::clamp(reply.predict_hi.value_or(1.5), change.speedup_lo, kMost);
  std::int64_t evaluated = 0, passed = 0;
  for (const Proposed& each : proposals_) evaluated += each.evaluated ? 1 : 0, passed += each.passed ? 1 : 0;
  change.probability = static_cast<double>(1 + passed) / static_cast<double>(2 + evaluated);
  record.manifest = changed_manifest(texts.manifest, change);
  record.variant = fmt::format("proposed_{}", record.number);
  try {
    if (auto problem = take_in(record, change.technique)) {
      record.variant.clear();
      return problem;
    }
  } catch (const Error& error) {
    record.variant.clear();
    if (error.kind() != Error::Kind::bad_input) throw;
    return ReplyProblem{ProposalOutcome::unusable, error.what()};
  }
  record.outcome = ProposalOutcome::accepted;
  record.message.clear();
  return std::nullopt;
}

/// Among the kernel's own variants and what was proposed for it in this campaign.
bool Campaign::find_twin(ProposalRecord& record, bool same_manifest) {
  for (const Proposed& each : proposals_)
    if (!each.record.variant.empty() && each.record.normal_hash == record.normal_hash &&
        each.record.arm.kernel == record.arm.kernel) {
      record.twin = each.record.variant;
      return true;
    }
  if (!same_manifest) return false;
  for (const VariantInfo& variant : ports_.catalog.kernel(record.arm.kernel).variants) {
    if (variant.proposal || variant.rival) continue;
    if (normal_hash(ports_.catalog.variant_texts(record.arm.kernel, variant.name).source, "", json::object()) !=
        record.normal_hash)
      continue;
    record.twin = variant.name;
    return true;
  }
  return false;
}

TwinQuery Campaign::twin_query(const std::string& kernel) {
  TwinQuery query{kernel, {}, device_.name, campaign_};
  for (const WorkloadBook& book : state_.workloads())
    if (book.plan.kernel == kernel) query.contract_hashes.push_back(book.plan.contract_hash);
  return query;
}

/// Among what earlier campaigns evaluated under the same contracts on this device. A source counts where the manifest
/// is its own; a proposal with the same changes of the same manifest counts as well.
std::optional<RecordedTwin> Campaign::find_older_twin(const ProposalRecord& record, bool same_manifest) {
  const TwinQuery query = twin_query(record.arm.kernel);
  const auto [sources, fresh] = older_sources_.try_emplace(record.arm.kernel);
  if (fresh)
    for (const RecordedSource& each : stored([&] { return ports_.ledger.recorded_sources(query); }))
      sources->second.emplace(normal_hash(each.text, "", json::object()), each.source_hash);
  if (same_manifest)
    if (const auto at = sources->second.find(record.normal_hash); at != sources->second.end())
      if (auto twin = stored([&] { return ports_.ledger.same_source(query, at->second); })) return twin;
  return stored([&] { return ports_.ledger.same_proposal(query, record.normal_hash); });
}

/// What became of a twin, the end of a sentence.
std::string Campaign::fate_of(ProposalRecord& record) const {
  const auto at = seen_.find(place_key(record.arm.kernel, record.arm.workload, record.twin));
  if (at == seen_.end()) return ", which has not been evaluated yet";
  record.twin_iteration = at->second.iteration;
  if (at->second.speedup)
    return fmt::format(", which {} at {:.2f}x in iteration {}", at->second.outcome, *at->second.speedup,
                       at->second.iteration);
  return fmt::format(", which ended as {} in iteration {}", at->second.outcome, at->second.iteration);
}

/// Makes it a variant of the kernel, if it can be one on any of the campaign's workloads.
std::optional<ReplyProblem> Campaign::take_in(const ProposalRecord& record, const std::string& technique) {
  ports_.catalog.add_variant(variant_of(record));
  std::vector<std::string> workloads;
  for (const WorkloadBook& book : state_.workloads())
    if (book.plan.kernel == record.arm.kernel) workloads.push_back(book.plan.workload);
  const std::string why = misfit(record, technique, ports_.catalog, device_, workloads);
  return why.empty() ? std::nullopt : std::optional(ReplyProblem{ProposalOutcome::unusable, why});
}

// Recorded, shown, and what was accepted becomes arms.
void Campaign::finish_proposal(ProposalRecord record) {
  record.id = stored([&] { return ports_.ledger.record_proposal(record); });
  agent_usd_ += record.usage.usd.value_or(0);
  ports_.display.proposed(record);
  add_proposed(std::move(record));
}

void Campaign::add_proposed(ProposalRecord record) {
  if (record.outcome == ProposalOutcome::accepted)
    add_proposed_arms(state_.arms(), ports_.catalog, ports_.scripts, options_, device_, record);
  proposals_.push_back({std::move(record), false, false, false, 0});
}

// Of a campaign that goes on: what was accepted then is a variant again.
void Campaign::restore_proposals() {
  for (ProposalRecord& record : ports_.ledger.proposals(campaign_)) {
    agent_usd_ += record.usage.usd.value_or(0);
    last_number_ = std::max(last_number_, record.number);
    if (record.outcome == ProposalOutcome::accepted) ports_.catalog.add_variant(variant_of(record));
    add_proposed(std::move(record));
  }
}

}  // namespace harness
