#include "harness/simulate/simulation.h"

#include <algorithm>
#include <cassert>
#include <exception>
#include <mutex>
#include <thread>

namespace harness::simulate {

namespace {

/// An evaluation on a device of its own.
struct UnderWay {
  SearchAsk ask;
  const Record* record = nullptr;
  double ends_s = 0;  // on the devices' clock
  bool put_off = false;
};

class Simulation {
 public:
  Simulation(const RecordedSpace& space, Search& search, double budget_s, int devices)
      : space_(space), search_(search), budget_s_(budget_s), devices_(static_cast<std::size_t>(devices)) {}

  Repeat run(std::uint64_t seed) {
    repeat_.seed = seed;
    while (begin_all()) end_first();
    while (!under_way_.empty()) end_first();
    return std::move(repeat_);
  }

 private:
  /// Gives every free device something. False: the budget is spent, or there is nothing more.
  bool begin_all() {
    while (under_way_.size() < devices_ && (under_way_.empty() || search_.takes_several())) {
      if (begun_s_ > budget_s_ || repeat_.exhausted) return false;
      if (!under_way_.empty() && !under_way_.back().put_off) {
        search_.put_off();
        under_way_.back().put_off = true;
      }
      const auto asked = search_.ask();
      if (!asked) {
        repeat_.exhausted = true;
        return false;
      }
      const auto found = space_.find(asked->variant, asked->config);
      assert(found);  // a search can only ask for points of its space
      const Record& record = space_.records[*found];
      begun_s_ += record.cost_s;
      under_way_.push_back({*asked, &record, now_s_ + record.cost_s});
    }
    return true;
  }

  void end_first() {
    const auto first = std::ranges::min_element(under_way_, {}, &UnderWay::ends_s);
    const UnderWay ended = *first;
    under_way_.erase(first);
    now_s_ = ended.ends_s;
    const Record& record = *ended.record;
    repeat_.spent_s += record.cost_s;
    ++repeat_.evaluations;
    if (record.time_ms && (repeat_.trace.empty() || *record.time_ms < repeat_.trace.back().second))
      repeat_.trace.emplace_back(repeat_.spent_s, *record.time_ms);
    SearchResult result{record.outcome, std::nullopt, record.cost_s, std::max(0.0, budget_s_ - repeat_.spent_s)};
    if (record.time_ms) result.time_ns = *record.time_ms * 1e6;
    if (ended.put_off) search_.tell_late(ended.ask, result);
    else search_.tell(result);
  }

  const RecordedSpace& space_;
  Search& search_;
  double budget_s_;
  std::size_t devices_;
  double begun_s_ = 0, now_s_ = 0;
  std::vector<UnderWay> under_way_;  // the last one asked for is the last
  Repeat repeat_;
};

}  // namespace

Repeat run_search(const RecordedSpace& space, Search& search, std::uint64_t seed, double budget_s, int devices) {
  return Simulation(space, search, budget_s, devices).run(seed);
}

std::vector<Repeat> run_repeats(const RecordedSpace& space,
                                const std::function<std::unique_ptr<Search>(std::uint64_t seed)>& make, int repeats,
                                std::uint64_t first_seed, double budget_s, int threads, int devices) {
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
        done[mine] = run_search(space, *search, first_seed + mine, budget_s, devices);
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
