#include "harness/device/cuda/run/timed_audit.h"

namespace harness::cuda {

void TimedAudit::consider(CallKind kind, InputSets& sets, const DrawnSets& drawn) {
  const auto calls = static_cast<std::uint64_t>(drawn.count);
  const auto of_a_kind = places_.size() / 3, first = static_cast<std::size_t>(kind) * of_a_kind;
  std::uint64_t& seen = seen_[static_cast<std::size_t>(kind)];
  seen += calls;
  for (std::size_t place = first; place < first + of_a_kind; ++place) {
    const std::uint64_t drawn_call = sets.chance(seen);
    if (drawn_call >= calls) continue;
    places_[place] = Kept{drawn, drawn.first + static_cast<std::int64_t>(drawn_call)};
    sets.retrieve(places_[place]->set, memory_[place]);
  }
}

void TimedAudit::compare(CallKind kind, const SetTables& tables, const DrawnSets& one,
                         std::span<const std::uint64_t> left_by_one, const DrawnSets& other,
                         std::span<const std::uint64_t> left_by_other) {
  const auto words = static_cast<std::size_t>(tables.digest_words);
  for (std::int64_t i = 0; i < one.count; ++i) {
    const std::int64_t at = other.set_of(one.draw_of(one.first + i)) - other.first;
    ++twice_.sets;
    if (tables.agree(left_by_one.subspan(static_cast<std::size_t>(i) * words, words),
                     left_by_other.subspan(static_cast<std::size_t>(at) * words, words)))
      continue;
    ++twice_.unequal;
    if (!twice_.first_unequal) twice_.first_unequal = kind;
  }
}

std::vector<KeptCall> TimedAudit::kept(const InputSets& sets) const {
  std::vector<KeptCall> kept;
  const std::size_t of_a_kind = places_.size() / 3;
  for (std::size_t place = 0; place < places_.size(); ++place) {
    if (!places_[place]) continue;
    const auto& [drawn, set] = *places_[place];
    kept.push_back({static_cast<std::int64_t>(place), static_cast<CallKind>(place / of_a_kind),
                    (drawn.draw_of(set) + drawn.phase) % sets.images(), sets.seeds(drawn, set)});
  }
  return kept;
}

}  // namespace harness::cuda
