#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/strategy.h"
#include "harness/replay/chronicle.h"

namespace harness {

/// A rule that had a reason while somebody sat, and when it first had it.
struct Firing {
  std::string iteration, technique, rule, effect, reason;
  double minute = 0;   // of the sitting; 0: before it was begun
  double minutes = 0;  // of the whole sitting
  json numbers;        // what the rule measured
};

/// What the strategy would have taken up where a rule first ended a sitting.
struct Instead {
  std::string iteration, technique, why;
  double minute = 0;
};

/// A choice from the chronicle's menu with given probabilities of success.
struct MenuChoice {
  std::string assumption;  // "every promise is kept", ...
  std::string technique;   // chosen
  std::string why;
  json table = json::array();  // the numbers it chose from
};

/// The minutes that rules would have saved, and their dollars (a sitting's dollars by its minutes).
struct Saving {
  std::string rule;
  double minutes = 0, usd = 0;
  std::vector<std::string> iterations;  // sittings that it ends early or never begins
};

/// How people's predictions held: minutes not above the highest predicted; a speedup within its range.
struct ChroniclePredictions {
  std::int64_t minutes_n = 0, minutes_held = 0, speedup_n = 0, speedup_held = 0, success_n = 0, succeeded = 0;
  double worst_overrun = 0;  // minutes over the highest predicted, as a factor
  std::string worst_iteration;
  std::optional<double> success_predicted;  // mean probability
};

struct ChronicleReplay {
  std::string strategy;
  std::vector<Firing> firings;  // the first of each rule in each sitting, in order
  std::vector<Instead> instead;
  std::vector<Saving> savings;  // by rule, each on its own
  Saving together;              // whichever rule fires first
  std::vector<MenuChoice> menu;
  ChroniclePredictions predictions;
};

/// Walks every sitting minute by minute and asks all rules of the strategy each time, with what was known then: the
/// minutes of this sitting and of all before it on the technique, what was predicted, what has passed. Nothing is
/// changed by a rule that fires: later sittings are walked as they were, so that each says what it would have saved.
/// Then the strategy chooses from the menu: with every promise kept, and with the share of such attempts (one kernel or
/// several) that had succeeded so far, by the rule of succession (Laplace): (successes + 1) / (attempts + 2).
ChronicleReplay replay_chronicle(const Chronicle& chronicle, Strategy& strategy);

ChroniclePredictions score_predictions(const Chronicle& chronicle);

/// Both as `harness replay --json` prints them (docs/replay.md has the keys).
json chronicle_json(const Chronicle& chronicle, const ChronicleReplay& replay);

}  // namespace harness
