#include "harness/replay/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/campaign/state.h"
#include "harness/core/error.h"

namespace harness {
namespace {

std::string code_key(const std::string& workload, const std::string& binary_hash) {
  return workload + "\n" + binary_hash;
}

bool ran_to_a_result(const IterationSummary& iteration) {
  return is_sound(iteration.outcome) || iteration.outcome == OutcomeKind::wrong_answer ||
         iteration.outcome == OutcomeKind::rejected;
}

bool same_candidate(const Candidate& a, const Candidate& b) {
  return a.variant == b.variant && to_text(a.config) == to_text(b.config);
}

bool is_faster(const IterationSummary& one, const IterationSummary& other) {
  return leads(standing_of(one), standing_of(other));
}

template <typename Found>
const Found* found_in(const std::map<std::string, const Found*>& map, const std::string& key) {
  const auto entry = map.find(key);
  return entry == map.end() ? nullptr : entry->second;
}

}  // namespace

std::string record_key(const std::string& workload, const Candidate& candidate) {
  return candidate.kernel + "\n" + workload + "\n" + candidate.variant + "\n" + to_text(candidate.config);
}

Recording read_recording(CampaignReader& record, std::int64_t campaign) {
  Recording recording;
  recording.campaign = campaign;
  recording.record = record.campaign(campaign);
  if (recording.record.strategy.empty())
    throw bad_input(
        fmt::format("campaign {} is a single eval, which decided nothing; replay one of harness run", campaign));
  recording.spent_s = record.spent_seconds(campaign);
  recording.iterations = record.iterations(campaign);
  for (IterationSummary& iteration : recording.iterations) tell_as_anchor(iteration);  // as the campaign compared them
  recording.decisions = record.decisions(campaign);
  recording.proposals = record.proposals(campaign);
  recording.profiles = record.profiles(campaign);
  if (recording.iterations.empty())
    throw bad_input(
        fmt::format("campaign {} holds no evaluation, so there is nothing to answer a replay with", campaign));
  return recording;
}

double overhead_seconds(const Recording& recording) {
  const double evaluated =
      std::accumulate(recording.iterations.begin(), recording.iterations.end(), 0.0,
                      [](double sum, const IterationSummary& iteration) { return sum + iteration.wall_s; });
  const json devices =
      recording.record.environment.is_object() ? recording.record.environment.value("devices", json()) : json();
  return std::max(0.0, recording.spent_s - evaluated / (devices.is_number() ? devices.get<double>() : 1));
}

DeviceInfo recorded_device(const CampaignRecord& record) {
  DeviceInfo device;
  if (record.environment.is_object() && record.environment.contains("device"))
    device = record.environment.at("device").get<DeviceInfo>();
  device.device = record.device;
  device.name = record.device_name;
  device.available = true;
  return device;
}

RecordBook::RecordBook(const Recording& recording) {
  for (const IterationSummary& iteration : recording.iterations) {
    if (says_nothing(iteration.outcome)) continue;
    if (iteration.purpose == Purpose::confirm) {
      add_confirmation(iteration);
      continue;
    }
    if (!by_candidate_.emplace(record_key(iteration.workload, iteration.candidate), &iteration).second) continue;
    if (iteration.purpose != Purpose::rival)
      by_arm_[{iteration.candidate.kernel, iteration.workload, iteration.candidate.technique}].push_back(&iteration);
    if (iteration.binary_hash.empty()) continue;
    const std::string code = code_key(iteration.workload, iteration.binary_hash);
    if (ran_to_a_result(iteration)) by_binary_.emplace(code, &iteration);
    else if (iteration.outcome == OutcomeKind::no_effect) no_effect_s_.emplace(code, iteration.wall_s);
  }
  std::map<std::int64_t, const IterationSummary*> by_number;
  for (const IterationSummary& iteration : recording.iterations) by_number[iteration.iteration] = &iteration;
  for (const ProfileRecord& record : recording.profiles)
    if (const auto of = by_number.find(record.iteration); of != by_number.end())
      profiles_[record_key(of->second->workload, of->second->candidate)] = &record.profile;
  follow_incumbents(recording.iterations);
}

void RecordBook::add_confirmation(const IterationSummary& iteration) {
  const auto count = static_cast<double>(confirmations_.size());
  std::vector<const IterationSummary*>& confirmations =
      confirmations_[record_key(iteration.workload, iteration.candidate)];
  confirmations.push_back(&iteration);
  if (confirmations.size() > 1) return;
  confirm_s_ = (confirm_s_ * count + iteration.wall_s) / (count + 1);
}

void RecordBook::follow_incumbents(const std::vector<IterationSummary>& iterations) {
  Podium podium;
  // Of each workload, the best from an iteration on: on a fleet others ended while one was timed.
  std::map<std::pair<std::string, std::string>, std::map<std::int64_t, const IterationSummary*>> bests;
  for (const IterationSummary& iteration : iterations) {
    auto& of_workload = bests[{iteration.candidate.kernel, iteration.workload}];
    const auto later = of_workload.upper_bound(iteration.after.value_or(iteration.iteration - 1));
    incumbents_[iteration.iteration] = later == of_workload.begin() ? nullptr : std::prev(later)->second;
    podium.apply(iteration);
    of_workload[iteration.iteration] = podium.best(iteration.candidate.kernel, iteration.workload);
  }
}

const IterationSummary* RecordBook::find(const std::string& workload, const Candidate& candidate) const {
  return found_in(by_candidate_, record_key(workload, candidate));
}

const Profile* RecordBook::profile(const std::string& workload, const Candidate& candidate) const {
  return found_in(profiles_, record_key(workload, candidate));
}

const IterationSummary* RecordBook::confirmation(const std::string& workload, const Candidate& candidate,
                                                 std::size_t nth) const {
  const auto entry = confirmations_.find(record_key(workload, candidate));
  return entry == confirmations_.end() ? nullptr : entry->second[std::min(nth, entry->second.size() - 1)];
}

const std::vector<const IterationSummary*>& RecordBook::of_arm(const ArmId& arm) const {
  static const std::vector<const IterationSummary*> none;
  const auto entry = by_arm_.find(arm);
  return entry == by_arm_.end() ? none : entry->second;
}

const IterationSummary* RecordBook::ran(const std::string& workload, const std::string& binary_hash) const {
  return binary_hash.empty() ? nullptr : found_in(by_binary_, code_key(workload, binary_hash));
}

std::optional<double> RecordBook::no_effect_seconds(const std::string& workload, const std::string& binary_hash) const {
  const auto entry = no_effect_s_.find(code_key(workload, binary_hash));
  return entry == no_effect_s_.end() ? std::nullopt : std::optional(entry->second);
}

const IterationSummary* RecordBook::incumbent(const IterationSummary& iteration) const {
  const auto entry = incumbents_.find(iteration.iteration);
  return entry == incumbents_.end() ? nullptr : entry->second;
}

bool Podium::apply(const IterationSummary& iteration) {
  if (iteration.purpose == Purpose::rival) return false;
  auto& [standings, others] = places_[{iteration.candidate.kernel, iteration.workload}];
  const bool passed = iteration.outcome == OutcomeKind::passed && iteration.time_ns;
  if (iteration.purpose == Purpose::confirm) {
    const auto same = std::find_if(standings.begin(), standings.end(), [&](const IterationSummary* standing) {
      return same_candidate(standing->candidate, iteration.candidate);
    });
    if (same == standings.end()) return false;
    if (passed && iteration.verdict != Comparison::slower) {
      *same = &iteration;
      return false;
    }
    standings.erase(same);  // it did not hold: the fastest that is left takes its place
    const auto next =
        std::max_element(others.begin(), others.end(), [](auto* a, auto* b) { return is_faster(*b, *a); });
    if (next == others.end() || (!standings.empty() && !is_faster(**next, *standings.back()))) return false;
    standings.push_back(*next);
    others.erase(next);
    return false;
  }
  if (!passed) return false;
  const bool faster = standings.empty() || takes_lead(iteration, standing_of(*standings.back()));
  (faster ? standings : others).push_back(&iteration);
  return faster;
}

const IterationSummary* Podium::best(const std::string& kernel, const std::string& workload) const {
  const auto place = places_.find({kernel, workload});
  return place == places_.end() || place->second.standings.empty() ? nullptr : place->second.standings.back();
}

double Podium::score(const std::map<std::pair<std::string, std::string>, double>& weights) const {
  double sum = 0, total = 0;
  for (const auto& [id, weight] : weights) {
    total += weight;
    const IterationSummary* best = this->best(id.first, id.second);
    if (best != nullptr && best->speedup && *best->speedup > 0) sum += weight * std::log(*best->speedup);
  }
  return total > 0 ? std::exp(sum / total) : 1;
}

}  // namespace harness
