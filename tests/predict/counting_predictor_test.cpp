#include "harness/predict/counting_predictor.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

using namespace harness;

namespace {

/// Takes for ever over a variant called "slow"; another is predicted at 100 ns.
class FakeProfiler : public Profiler {
 public:
  explicit FakeProfiler(std::function<bool()> stop) : stop_(std::move(stop)) {}
  std::optional<Profile> profile(const Realized& realized, const ProfileRequest&) override {
    if (realized.candidate.variant == "slow") {
      while (!stop_()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return std::nullopt;
    }
    Profile profile;
    profile.numbers = {{"predicted_ns", 100}};
    return profile;
  }

 private:
  std::function<bool()> stop_;
};

Realized candidate(const char* variant) {
  Realized realized;
  realized.candidate.variant = variant;
  return realized;
}

}  // namespace

TEST_CASE("a candidate that is slow to count is given up, and what comes behind it is counted by a new profiler") {
  std::atomic<int> made = 0;
  CountingPredictorOptions options;
  options.most_each_s = 0.02;
  options.profiler = [&](std::function<bool()> stop) {
    ++made;
    return std::make_unique<FakeProfiler>(std::move(stop));
  };
  CountingPredictor predictor(std::move(options));
  predictor.begin(1, {candidate("slow"), candidate("quick")});
  std::optional<PredictedTimes> times;
  while (!times) times = predictor.take();
  REQUIRE(times->ns.size() == 2);
  CHECK_FALSE(times->ns[0]);
  CHECK(times->ns[1] == 100.0);
  CHECK(made == 2);
}
