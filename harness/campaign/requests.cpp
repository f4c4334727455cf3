#include "harness/campaign/requests.h"

#include <algorithm>

#include "harness/campaign/gatekeeper.h"
#include "harness/campaign/recall.h"
#include "harness/campaign/store_failure.h"

namespace harness {
namespace {

// Timing is cut short for what is clearly this many times slower than the best: far from a verdict that could matter.
constexpr double kAbandonFactor = 2;

}  // namespace

// A library plans each size anew, for seconds, and is nobody's winner: it is judged at the timed size alone.
EvaluationRequest Requests::of(const Assignment& work) {
  const Candidate& candidate = work.realized.candidate;
  const WorkloadBook& book = context_.book_of(work);
  const bool strict = work.confirms() || failed_sources_.was_wrong_elsewhere(work.realized.source_hash);
  const bool is_library = work.purpose == Purpose::rival && has_library_step(work.realized.plan);
  const Points points = is_library ? Points::none : strict ? Points::finalist : Points::search;
  EvaluationRequest request = gated_request(context_.ports.catalog, context_.ports.evaluator, work.realized, points);
  request.incumbent = incumbent_for(work, book);
  if (work.purpose != Purpose::baseline) request.baseline_ns = book.baseline_ns;
  else if (!work.all_gates) request.brief_s = brief_baseline_s();
  request.confirm = work.confirms();
  request.may_differ = work.purpose == Purpose::rival;
  send_proposals_along(candidate, request);
  request.admission = admissions_.of(candidate.kernel);
  if (work.purpose == Purpose::search && !work.all_gates) let_it_be_given_up(work, book, request);
  return request;
}

// A node of a fleet makes proposed variants from what comes with the request.
void Requests::send_proposals_along(const Candidate& candidate, EvaluationRequest& request) const {
  const auto send = [&](const Candidate& candidate) {
    if (const ProposalRecord* proposal = proposals_.of(candidate))
      request.made.push_back({candidate.kernel, candidate.variant, proposal->parents.front(), proposal->source,
                              proposal->manifest, proposal->number});
  };
  send(candidate);
  if (request.incumbent && request.incumbent->realized.candidate.variant != candidate.variant)
    send(request.incumbent->realized.candidate);
}

// What a search asks for ends early where it is slow, has failed before, or is code that was measured already.
void Requests::let_it_be_given_up(const Assignment& work, const WorkloadBook& book, EvaluationRequest& request) {
  const Candidate& candidate = work.realized.candidate;
  request.failed_before = failed_sources_.refusal(work.realized.source_hash);
  if (!wants_exact_times({candidate.kernel, book.plan.workload, candidate.technique})) {
    request.abandon_factor = kAbandonFactor;
    // One configuration for all workloads may be slower than the best on some of them: there nothing can be screened.
    request.screen = context_.options.objective != "single";
  }
  // Of what was proposed anew earlier campaigns count as well: its machine code may be in the record.
  const ProposalRecord* const proposal = proposals_.of(candidate);
  const bool proposed = proposal != nullptr && !rests_on_record(*proposal);
  const TwinQuery older{candidate.kernel, {book.plan.contract_hash}, context_.device.name, context_.campaign};
  request.recorded_with = [this, workload = book.plan.workload, proposed, older](const std::string& hash) {
    RecordedTwins& twins = context_.ports.ledger;
    const std::int64_t here = stored([&] { return twins.same_binary(context_.campaign, workload, hash); });
    if (here > 0 || !proposed) return here;
    return stored([&] { return twins.same_binary_before(older, hash); });
  };
}

std::optional<Incumbent> Requests::incumbent_for(const Assignment& work, const WorkloadBook& book) const {
  const std::string& workload = book.plan.workload;
  if (work.confirms() && book.baseline_ns)
    return Incumbent{context_.realize(book.plan.baseline, workload), *book.baseline_ns, 1.0};
  if (book.standings.empty() || work.confirms() || work.purpose == Purpose::rival) return std::nullopt;
  const Standing& best = book.standings.back();
  return Incumbent{context_.realize(best.candidate, workload), best.time_ns, best.speedup};
}

bool Requests::wants_exact_times(const ArmId& id) const {
  const Arm* arm = find_arm(context_.state.arms(), id);
  return arm != nullptr && arm->search->exact_times();
}

// A baseline of the naive kind may take seconds a launch: no more than a twentieth of the budget for all of them. With
// --objective single every workload needs a winner that met all gates.
double Requests::brief_baseline_s() const {
  constexpr double kLeast = 2.5, kShare = 0.05;  // the least holds a few launches of a slow kernel in any budget
  const CampaignOptions& options = context_.options;
  if (!options.budget_s || options.objective == "single") return 0;
  return std::max(kLeast, kShare * *options.budget_s);
}

}  // namespace harness
