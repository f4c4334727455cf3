#pragma once
#include <functional>

#include "harness/core/catalog.h"
#include "harness/core/clock.h"
#include "harness/core/diagnoser.h"
#include "harness/core/display.h"
#include "harness/core/evaluator.h"
#include "harness/core/fleet.h"
#include "harness/core/ledger.h"
#include "harness/core/playbook.h"
#include "harness/core/predictor.h"
#include "harness/core/profiler.h"
#include "harness/core/proposal.h"
#include "harness/core/strategy.h"

namespace harness {

/// The outside of a campaign, all ports: the loop is tested with fakes of each.
struct CampaignPorts {
  Catalog& catalog;
  ScriptLibrary& scripts;
  Evaluator& evaluator;
  Ledger& ledger;
  Display& display;
  Clock& clock;
  std::function<bool()> stop;             // true after Ctrl-C
  json environment = json::object();      // host, driver, git revision...: recorded once
  Playbook* playbook = nullptr;           // none: strategies get no evidence of patterns
  double before_s = 0;                    // what the program had spent when the campaign was made: counted as its own
  std::vector<Proposer*> proposers = {};  // none: nobody proposes variants
  Profiler* profiler = nullptr;           // none: nothing is profiled
  Diagnoser* diagnoser = nullptr;         // none: profiles have no diagnosis
  Fleet* fleet = nullptr;                 // none: the evaluator's device is the only one
  Predictor* predictor = nullptr;         // none: nothing is predicted before it is measured
};

}  // namespace harness
