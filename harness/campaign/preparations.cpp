#include "harness/campaign/preparations.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/campaign/gatekeeper.h"
#include "harness/core/error.h"

namespace harness {
namespace {

// Where compilers share their cores with an emulated device, so many of a search's hints are made at a time.
constexpr std::size_t kMostHintsEmulated = 4;

}  // namespace

void Preparations::follow(const Arm& arm, const SearchAsk& ask) {
  std::vector<Realized> next;
  for (const auto& [variant, config] : ask.hints) {  // most of them were hints of the ask before
    if (context_.device.emulation && next.size() == kMostHintsEmulated) break;
    const ArmId& id = arm.state.id;
    const std::string key = fmt::format("{}\n{}\n{}\n{}", id.kernel, id.workload, variant, to_text(config));
    if (hinted_.insert(key).second) next.push_back(realize_of(id, variant, config));
  }
  add_next_asks(next);
  context_.ports.evaluator.prepare(next);
}

// Where compilers share their cores with an emulated device, what they would take from it counts for more.
void Preparations::begin_campaign() {
  if (context_.device.emulation) return;
  const CampaignPorts& ports = context_.ports;
  const std::string& first = context_.options.kernels.front();
  if (!gates_to_try(ports.catalog, ports.evaluator, ports.ledger, first).empty())
    for (const Realized& baseline : trial_baselines(ports.catalog, ports.evaluator, first))
      ports.evaluator.prepare({&baseline, 1});
  std::vector<Realized> next;
  for (const WorkloadBook& book : context_.state.workloads())
    next.push_back(context_.realize(book.plan.baseline, book.plan.workload));
  for (const Arm& arm : context_.state.arms().arms)
    if (learns_from_others(arm) || predictions_.awaits(arm))
      if (const std::optional<Realized> likely = likely_first(arm)) next.push_back(*likely);
  add_next_asks(next);
  ports.evaluator.prepare(next);
}

void Preparations::begin_workload(const WorkloadBook& book) {
  std::vector<Realized> likely;
  for (const Arm& arm : context_.state.arms().arms)
    if (arm.state.id.kernel == book.plan.kernel && arm.state.id.workload == book.plan.workload && !arm.state.closed &&
        learns_from_others(arm))
      if (const std::optional<Realized> first = likely_first(arm)) likely.push_back(*first);
  context_.ports.evaluator.prepare(likely);
}

// What the search of an arm asks for first depends on what the others know when its workload begins.
bool Preparations::learns_from_others(const Arm& arm) const {
  CampaignState& state = context_.state;
  const auto& books = state.workloads();
  const bool alone = std::ranges::count(books, arm.state.id.kernel, [](const auto& b) { return b.plan.kernel; }) < 2;
  return !alone && !state.workload(arm.state.id.kernel, arm.state.id.workload).baseline_tried;
}

// What such a search will probably ask for first: what is best on the workload most like its own, else where the space
// begins.
std::optional<Realized> Preparations::likely_first(const Arm& arm) const {
  const std::vector<EarlierResult> fastest = context_.state.fastest_elsewhere(arm);
  const auto begins = std::ranges::find_if(arm.space.variants, [](const auto& v) { return !v.second.points.empty(); });
  try {
    if (!fastest.empty()) return realize_of(arm.state.id, fastest.front().variant, fastest.front().config);
    if (begins == arm.space.variants.end()) return std::nullopt;
    return realize_of(arm.state.id, begins->first, configuration(begins->second, begins->second.start));
  } catch (const Error&) {  // no more than a guess: that configuration may not be valid here
    return std::nullopt;
  }
}

void Preparations::add_next_asks(std::vector<Realized>& next) {
  for (Arm& arm : context_.state.arms().arms) {
    if (arm.state.closed || arm.state.exhausted || arm.announced == arm.asks || !arm.asked.empty()) continue;
    if (learns_from_others(arm) || predictions_.awaits(arm)) continue;
    arm.announced = arm.asks;
    try {
      if (const auto upcoming = arm.search->ask())
        next.push_back(realize_of(arm.state.id, upcoming->variant, upcoming->config));
    } catch (const Error&) {  // a hint is never the campaign's end: what is wrong is said when the arm is tried
    }
  }
}

Realized Preparations::realize_of(const ArmId& id, const std::string& variant, const Config& config) const {
  return context_.realize({id.kernel, variant, id.technique, config}, id.workload);
}

}  // namespace harness
