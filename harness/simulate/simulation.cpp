#include "harness/simulate/simulation.h"

#include <algorithm>
#include <cassert>
#include <exception>
#include <mutex>
#include <thread>

namespace harness::simulate {

Repeat run_search(const RecordedSpace& space, Search& search, std::uint64_t seed, double budget_s) {
  Repeat repeat;
  repeat.seed = seed;
  while (repeat.spent_s <= budget_s) {
    const auto asked = search.ask();
    if (!asked) {
      repeat.exhausted = true;
      break;
    }
    const auto found = space.find(asked->variant, asked->config);
    assert(found);  // a search can only ask for points of its space
    const Record& record = space.records[*found];
    repeat.spent_s += record.cost_s;
    ++repeat.evaluations;
    if (record.time_ms && (repeat.trace.empty() || *record.time_ms < repeat.trace.back().second))
      repeat.trace.emplace_back(repeat.spent_s, *record.time_ms);
    SearchResult result{record.outcome, std::nullopt, record.cost_s, std::max(0.0, budget_s - repeat.spent_s)};
    if (record.time_ms) result.time_ns = *record.time_ms * 1e6;
    search.tell(result);
  }
  return repeat;
}

std::vector<Repeat> run_repeats(const RecordedSpace& space,
                                const std::function<std::unique_ptr<Search>(std::uint64_t seed)>& make, int repeats,
                                std::uint64_t first_seed, double budget_s, int threads) {
  std::vector<Repeat> done(static_cast<std::size_t>(repeats));
  std::mutex mutex;
  std::size_t next = 0;
  std::exception_ptr failure;
  const auto work = [&] {
    for (;;) {
      std::unique_ptr<Search> search;
      std::size_t mine = 0;
      std::unique_lock lock(mutex);
      if (next == done.size() || failure) return;
      mine = next++;
      try {
        search = make(first_seed + mine);
        lock.unlock();
        done[mine] = run_search(space, *search, first_seed + mine, budget_s);
      } catch (...) {
        if (!lock.owns_lock()) lock.lock();
        if (!failure) failure = std::current_exception();
        return;
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
  return done;
}

}  // namespace harness::simulate
