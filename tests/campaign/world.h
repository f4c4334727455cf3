#pragma once
#include <algorithm>

#include "harness/campaign/loop.h"
#include "tests/fakes/ports.h"

// A campaign among fakes.
namespace harness::fakes {

struct World {
  FakeClock clock;
  FakeCatalog catalog;
  FakeScripts scripts;
  FakeEvaluator evaluator{clock};
  FakeLedger ledger;
  FakeDisplay display;
  bool stop = false;
  FakeProposer proposer{clock};
  bool proposes = false;
  std::vector<FakeProposer*> further_proposers;
  FakeProfiler profiler{clock};
  FakeDiagnoser diagnoser;
  bool profiles = false;
  CampaignOptions options;

  World() { options.kernels = {"k"}; }
  CampaignSummary run(std::optional<std::int64_t> resume = {}) {
    CampaignPorts ports{catalog, scripts, evaluator, ledger, display, clock, [this] { return stop; }, json::object()};
    if (proposes) ports.proposers = {&proposer};
    ports.proposers.insert(ports.proposers.end(), further_proposers.begin(), further_proposers.end());
    if (profiles) ports.profiler = &profiler;
    ports.diagnoser = &diagnoser;
    Campaign campaign(std::move(ports), options, resume);
    return campaign.run();
  }
};

inline int count(const FakeLedger& ledger, Purpose purpose) {
  return static_cast<int>(
      std::count_if(ledger.rows.begin(), ledger.rows.end(), [&](const auto& row) { return row.purpose == purpose; }));
}

}  // namespace harness::fakes
