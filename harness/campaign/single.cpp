#include <algorithm>
#include <cmath>

#include "harness/campaign/state.h"

// --objective single: one configuration for all workloads of a kernel.
namespace harness {
namespace {

std::string single_key(const Candidate& candidate) {
  return candidate.kernel + "\n" + candidate.variant + "\n" + to_text(candidate.config);
}

}  // namespace

// ln of the weighted geometric mean over the kernel's workloads; empty unless it passed on all of them.
std::optional<double> CampaignState::single_score(const Candidate& candidate) const {
  const auto entry = seen_.find(single_key(candidate));
  if (entry == seen_.end()) return std::nullopt;
  double sum = 0, weights = 0;
  for (const WorkloadBook& book : workloads_) {
    if (book.plan.kernel != candidate.kernel) continue;
    const auto there = entry->second.find(book.plan.workload);
    if (there == entry->second.end() || !there->second || !there->second->speedup) return std::nullopt;
    sum += book.plan.weight * std::log(*there->second->speedup);
    weights += book.plan.weight;
  }
  return weights > 0 ? std::optional(sum / weights) : std::nullopt;
}

bool CampaignState::promote_single(const IterationSummary& iteration) {
  const bool passed = iteration.outcome == OutcomeKind::passed && iteration.time_ns;
  std::optional<Standing>& mine = seen_[single_key(iteration.candidate)][iteration.workload];
  mine = passed ? std::optional(standing_of(iteration)) : std::nullopt;
  if (mine && iteration.purpose == Purpose::baseline) mine->speedup = 1.0;
  if (!mine || !mine->speedup) return false;
  const auto [fastest, first] =
      fastest_.try_emplace({iteration.candidate.kernel, iteration.workload}, std::log(*mine->speedup));
  if (!first) fastest->second = std::max(fastest->second, std::log(*mine->speedup));
  const std::optional<double> score = single_score(iteration.candidate);
  if (!score) return false;
  const WorkloadBook& book = workload(iteration.candidate.kernel, iteration.workload);
  if (!book.standings.empty()) {
    const std::optional<double> best = single_score(book.standings.back().candidate);
    if (best && *score <= *best) return false;
  }
  for (WorkloadBook& book : workloads_)
    if (book.plan.kernel == iteration.candidate.kernel)
      book.standings.push_back(*seen_.at(single_key(iteration.candidate)).at(book.plan.workload));
  return true;
}

std::vector<std::string> CampaignState::single_needs(const Candidate& candidate) const {
  const auto entry = seen_.find(single_key(candidate));
  if (!single_ || entry == seen_.end()) return {};
  double most = 0, weights = 0;  // what it could reach, were it the fastest known wherever it has not been seen
  std::vector<const WorkloadBook*> missing;
  const Standing* best = nullptr;
  for (const WorkloadBook& book : workloads_) {
    if (book.plan.kernel != candidate.kernel) continue;
    weights += book.plan.weight;
    if (!book.standings.empty()) best = &book.standings.back();
    const auto there = entry->second.find(book.plan.workload);
    if (there != entry->second.end()) {
      if (!there->second || !there->second->speedup) return {};
      most += book.plan.weight * std::log(*there->second->speedup);
      continue;
    }
    missing.push_back(&book);
    const auto fastest = fastest_.find({candidate.kernel, book.plan.workload});
    if (fastest == fastest_.end()) most = INFINITY;  // nothing is known there
    else most += book.plan.weight * fastest->second;
  }
  const std::optional<double> to_beat = best != nullptr ? single_score(best->candidate) : std::nullopt;
  if (to_beat && most / weights <= *to_beat) return {};
  std::stable_sort(missing.begin(), missing.end(),
                   [](const WorkloadBook* a, const WorkloadBook* b) { return a->plan.weight > b->plan.weight; });
  std::vector<std::string> names;
  for (const WorkloadBook* book : missing) names.push_back(book->plan.workload);
  return names;
}

}  // namespace harness
