#pragma once
#include <unistd.h>

#include <filesystem>
#include <random>
#include <string>

#include "harness/store/statement.h"
#include "harness/store/store.h"
#include "tests/support/evaluations.h"

// Folders and records for the tests of the store.
namespace harness::store::test {

using namespace harness::tests;

/// An empty folder that goes with the test.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "harness_store_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// Begins and ends one attempt.
inline std::int64_t record(Store& store, const AttemptRecord& attempt, const Evaluation& evaluation,
                           bool confirmed = false) {
  return store.end_attempt(store.begin_attempt(attempt), evaluation, confirmed);
}

/// The one value that a query answers.
inline json value(Store& store, const char* sql) {
  Statement query(store.connection(), sql);
  return query.next() ? query.value(0) : json(nullptr);
}

/// All rows of a query as text, for comparisons.
inline std::string rows(Store& store, const char* sql) {
  Statement query(store.connection(), sql);
  std::string text;
  while (query.next()) {
    for (int column = 0; column < query.columns(); ++column) text += json_text(query.value(column)) + ' ';
    text += '\n';
  }
  return text;
}

/// Random campaigns over a few arms, devices and outcomes.
inline void random_history(Store& store, unsigned seed, int campaigns, int iterations) {
  std::mt19937 random(seed);
  const auto pick = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  for (int c = 0; c < campaigns; ++c) {
    CampaignRecord campaign = a_campaign(pick(2) ? "NVIDIA H200" : "a CPU");
    if (pick(2)) campaign.usd_per_hour.reset();
    const std::int64_t id = store.begin_campaign(campaign);
    for (int i = 0; i < iterations; ++i) {
      AttemptRecord attempt = an_attempt(id, 1 + pick(8), pick(2) ? "tiling" : "split-kv");
      attempt.contract_hash = pick(3) ? "c0ffee" : "0ld";
      attempt.workload = pick(2) ? "s128" : "s512";
      Evaluation evaluation = pick(4)   ? passed(100 + pick(50))
                              : pick(3) ? an_evaluation(CompileError{"x.cu(1): error"})
                                        : wrong();
      evaluation.cost.wall_s = pick(3) * 0.5;
      if (pick(2)) evaluation.cost.usd.reset();
      record(store, attempt, evaluation, pick(3) == 0);
      if (pick(3) == 0) store.charge(id, pick(2) ? "idle" : "prepare", 0.25);
    }
    if (pick(2)) store.end_campaign(id, EndReason::budget, 100, 0.1);
  }
}

}  // namespace harness::store::test
