#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "harness/device/cpu/check/checker.h"
#include "harness/device/cpu/check/wording.h"

// The part of BlockChecker that looks at shadows and describes what it sees there.
namespace harness::cpu {
namespace {

std::uint64_t tag(FindingKind kind) {
  return static_cast<std::uint64_t>(kind);
}

}  // namespace

void BlockChecker::check_shadow(const Event& event, const AccessedPlace& place) {
  const int thread = scheduler_.current().linear;
  if (event.atomic) order_.atomic(thread, place.location, event.writes);
  Access access = order_.stamp(thread, event.site, event.atomic);
  access.async = event.async;
  access.is_volatile = event.is_volatile;
  bool reported = false;
  for_each_granule(place.offset, event.bytes, [&](std::size_t index, std::uint8_t mask) {
    Granule& granule = place.shadow->granule(index);
    access.mask = mask;
    const auto races = [&](const Access& earlier) {
      return earlier.epoch >= place.first_epoch && (earlier.mask & mask) && !(earlier.atomic && event.atomic) &&
             !order_.ordered(earlier, thread);
    };
    for (const Access& writer : granule.writers)
      if (!reported && races(writer)) reported = true, report_race(event, writer, true, place);
    if (event.writes)
      for (const Access& reader : granule.readers)
        if (!reported && races(reader)) reported = true, report_race(event, reader, false, place);
    std::uint8_t& written = place.shadow->written(index);
    if (event.async && !event.writes && !reported) reported = misses_proxy_fence(event, granule, mask, place);
    if (event.writes) {
      granule.note_write(access, place.first_epoch);
      written |= mask;
    } else {
      granule.note_read(access, place.first_epoch);
      if (place.must_be_written && (mask & ~written)) {
        report_unwritten(event, place);
        written |= mask;  // once for these bytes
      }
    }
  });
}

// The async proxy reads what threads wrote through the generic proxy only behind a fence.proxy.async.
bool BlockChecker::misses_proxy_fence(const Event& event, const Granule& granule, std::uint8_t mask,
                                      const AccessedPlace& place) {
  for (const Access& writer : granule.writers) {
    if (writer.epoch < place.first_epoch || !(writer.mask & mask)) continue;
    if (order_.seen_by_async_proxy(writer, scheduler_.current().linear)) continue;
    const RawFindings::Key key{tag(FindingKind::race) | place.space << 8, writer.site, event.site, 4};
    if (checker_.findings_.again(key)) return true;
    RawFinding finding{.kind = name(FindingKind::race)};
    finding.text = fmt::format(
        "{} wrote {} (byte {}) @0 and the async proxy read it for {} @1 in block {}, no fence.proxy.async between them",
        thread_name(writer.thread), quoted(*place.name), place.byte,
        thread_name(static_cast<std::uint32_t>(scheduler_.current().linear)), block_name(block_));
    finding.sites = {writer.site, event.site};
    checker_.findings_.add(key, std::move(finding));
    return true;
  }
  return false;
}

void BlockChecker::report_unwritten(const Event& event, const AccessedPlace& place) {
  if (known(FindingKind::uninitialized, event, place.space)) return;
  report(FindingKind::uninitialized, event, place.space,
         fmt::format("{} read {} of {} @0 that {} has written", self(),
                     byte_range(static_cast<std::int64_t>(place.byte), event.bytes), quoted(*place.name),
                     place.shadow == &shared_ ? "no thread of the block" : "nothing"));
}

void BlockChecker::report_race(const Event& event, const Access& earlier, bool earlier_writes,
                               const AccessedPlace& place) {
  const RawFindings::Key key{tag(FindingKind::race) | place.space << 8, earlier.site, event.site,
                             static_cast<std::uint64_t>(earlier_writes) << 1 | event.writes};
  if (earlier_writes && event.writes && !event.atomic && !earlier.atomic)
    pending_ = PendingStore{key, event.address, std::vector<char>(event.bytes)};
  if (pending_) std::memcpy(pending_->before.data(), reinterpret_cast<const void*>(event.address), event.bytes);
  if (checker_.findings_.again(key)) return;
  const std::size_t overlap =
      std::min<std::size_t>(event.bytes, earlier.mask == 0xf ? 16 : std::popcount(earlier.mask));
  const bool of_earlier_launch = earlier.epoch < checker_.order_.first_epoch();
  const bool within = earlier.block == block_ && !of_earlier_launch;
  const auto owner = [&](std::uint32_t thread, std::uint32_t block) {
    return within ? thread_name(thread) : thread_name(thread) + " of block " + block_name(block);
  };
  const std::string tail = within ? fmt::format(" in block {}, no barrier between them", block_name(block_))
                           : of_earlier_launch ? std::string(
                                                     ", and with pdl = true nothing orders the two launches before "
                                                     "harness::grid_dependency_wait()")
                                               : std::string(", and nothing orders the two blocks");
  RawFinding finding{.kind = name(FindingKind::race)};
  finding.text = fmt::format(
      "{} {} {} of {} (byte {}) @0 and {} {} them @1{}", owner(earlier.thread, earlier.block),
      verb({earlier_writes, earlier.atomic, earlier.is_volatile}), count_bytes(overlap), quoted(*place.name),
      place.byte, owner(static_cast<std::uint32_t>(scheduler_.current().linear), block_), verb(event.kind()), tail);
  finding.sites = {earlier.site, event.site};
  checker_.findings_.add(key, std::move(finding));
}

void BlockChecker::settle() {
  if (!pending_) return;
  RawFinding* const finding = checker_.findings_.find(pending_->key);
  const auto* const now = reinterpret_cast<const char*>(pending_->address);
  if (finding && std::equal(pending_->before.begin(), pending_->before.end(), now)) ++finding->same_values;
  pending_.reset();
}

void BlockChecker::barrier(const Thread& last, const Site& site) {
  settle();
  order_.barrier();
  for (const Thread& other : scheduler_.threads()) {
    if (other.linear == last.linear || other.state != ThreadState::waiting) continue;
    if (other.site.line == site.line && std::strcmp(other.site.file, site.file) == 0) continue;
    const auto line = [](const Site& s) { return static_cast<std::uint64_t>(s.line); };
    const RawFindings::Key key{tag(FindingKind::barrier_divergence), line(other.site), line(site), 0};
    if (checker_.findings_.again(key)) return;
    RawFinding finding{.kind = name(FindingKind::barrier_divergence)};
    finding.text = fmt::format("{} waits in {} at {}:{} and {} in {} at {}:{}, in block {}",
                               thread_name(static_cast<std::uint32_t>(other.linear)), other.site.name, other.site.file,
                               other.site.line, thread_name(static_cast<std::uint32_t>(last.linear)), site.name,
                               site.file, site.line, block_name(block_));
    checker_.findings_.add(key, std::move(finding));
    return;
  }
}

void BlockChecker::absent_source(int thread, int source_lane, const Site& site) {
  const RawFindings::Key key{tag(FindingKind::inactive_lane), static_cast<std::uint64_t>(site.line), 0, 0};
  if (checker_.findings_.again(key)) return;
  RawFinding finding{.kind = name(FindingKind::inactive_lane)};
  finding.text = fmt::format("{} in block {} reads lane {}, which takes no part, in {} at {}:{}",
                             thread_name(static_cast<std::uint32_t>(thread)), block_name(block_), source_lane,
                             site.name, site.file, site.line);
  checker_.findings_.add(key, std::move(finding));
}

bool BlockChecker::known(FindingKind kind, const Event& event, std::uint64_t space) {
  return checker_.findings_.again({tag(kind), event.site, space, event.writes}) != nullptr;
}

void BlockChecker::report(FindingKind kind, const Event& event, std::uint64_t space, const std::string& text) {
  RawFinding finding{.kind = name(kind), .text = text};
  finding.sites = {event.site};
  checker_.findings_.add({tag(kind), event.site, space, event.writes}, std::move(finding));
}

// One back from the return address lies within the call.
std::uint32_t BlockChecker::site_of(const void* from) const {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(from) - checker_.module_.base - 1);
}

std::string BlockChecker::thread_name(std::uint32_t linear) const {
  return "thread " + coordinates(linear, checker_.launch().block);
}

std::string BlockChecker::block_name(std::uint32_t linear) const {
  return coordinates(linear, checker_.launch().grid);
}

std::string BlockChecker::self() const {
  return thread_name(static_cast<std::uint32_t>(scheduler_.current().linear)) + " of block " + block_name(block_);
}

}  // namespace harness::cpu
