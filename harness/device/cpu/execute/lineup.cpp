#include "harness/device/cpu/execute/lineup.h"

#include <fmt/format.h>

#include <map>

namespace harness::cpu {
namespace {

std::string describe_place(const Thread& thread) {
  const std::string mask = thread.mask ? fmt::format(" with mask {:#010x}", thread.mask) : "";
  return fmt::format("{}{} at {}:{}", thread.site.name, mask, thread.site.file, thread.site.line);
}

std::string count_threads(int count) {
  return fmt::format("{} thread{}", count, count == 1 ? "" : "s");
}

/// "32 threads wait in ... (the first is (0,0,0))", places in the order of their first thread.
std::string describe_waiting(const std::vector<Thread>& threads) {
  struct WaitingPlace {
    int count = 0;
    const Thread* first = nullptr;
  };
  std::map<std::string, WaitingPlace> places;
  std::vector<std::string> order;
  for (const Thread& thread : threads) {
    if (thread.state != ThreadState::waiting) continue;
    WaitingPlace& place = places[describe_place(thread)];
    if (place.count++ == 0) {
      place.first = &thread;
      order.push_back(describe_place(thread));
    }
  }
  std::string text;
  for (const std::string& name : order) {
    const WaitingPlace& place = places[name];
    const HarnessCpuIndex& t = place.first->index;
    text += fmt::format("{}{} wait{} in {} (the first is ({},{},{}))", text.empty() ? "" : "; ",
                        count_threads(place.count), place.count == 1 ? "s" : "", name, t.x, t.y, t.z);
  }
  return text;
}

}  // namespace

std::string describe_lineup(const std::vector<Thread>& threads, const HarnessCpuIndex& block) {
  int exited = 0;
  for (const Thread& thread : threads) exited += thread.state == ThreadState::exited;
  return fmt::format("block ({},{},{}): no thread can go on: {}; {} exited", block.x, block.y, block.z,
                     describe_waiting(threads), count_threads(exited));
}

std::string describe_divergence(const std::vector<Thread>& threads, const HarnessCpuIndex& block, const Thread& late,
                                const Site& site) {
  return fmt::format(
      "block ({},{},{}): threads of one warp wait in different barriers: {}; thread ({},{},{}) came to {} at {}:{}",
      block.x, block.y, block.z, describe_waiting(threads), late.index.x, late.index.y, late.index.z, site.name,
      site.file, site.line);
}

}  // namespace harness::cpu
