#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/card.h"

namespace harness::fleet {

/// When cards are calibrated and what is held against them.
struct CardRules {
  double drift = 0.02;           // beyond this share of its first calibration a card is suspect
  double every_s = 600;          // after so long a card is calibrated before it gets more work
  std::size_t before_blame = 3;  // calibrations in a row, of whose medians it is judged where the first one drifts
  int strikes = 2;               // so often suspect: quarantined
  int good_in_a_row = 3;         // takes a strike back
};

/// One card over a campaign: its first calibration, and what later ones say beside it. The cores of an emulation are
/// shared with whatever else runs there: its drift is recorded, and it is not blamed for it.
class CardWatch {
 public:
  /// `known`: the card's first calibration by a method in earlier campaigns, if there is one.
  using Known = std::function<std::optional<CardCalibration>(const std::string& method)>;
  CardWatch(CardRules rules, bool emulated, Known earlier);

  /// It is to be calibrated before it gets more work; never once it is quarantined.
  bool is_due(double now) const { return !quarantined_ && now >= due_; }
  void doubt() { occasion_ = "doubted", due_ = 0; }
  /// It joined, or is back.
  void join() { occasion_ = "joined", due_ = 0; }

  /// Takes one in. Nothing: it drifts and is not to be blamed for a single one, another is needed now. What is
  /// returned names neither node nor card.
  std::optional<CardCheck> take(const CardCalibration& calibration, double seconds, double now);
  /// It could not be calibrated, with a sentence.
  std::optional<CardCheck> fail(const std::string& why, double seconds, double now);
  bool quarantined() const { return quarantined_; }

 private:
  CardCheck conclude(CardCheck check, double now);
  std::optional<double> drift_of(const CardCalibration& calibration) const;
  bool drifts(const CardCalibration& calibration) const;
  std::string errors_of(const CardState& state);

  CardRules rules_;
  bool emulated_;
  Known known_;
  std::optional<CardCalibration> first_;
  std::optional<std::int64_t> uncorrected_;  // memory errors that were there when it joined
  std::vector<CardCalibration> in_a_row_;
  double in_a_row_s_ = 0, due_ = 0;
  int strikes_ = 0, good_ = 0;
  bool quarantined_ = false;
  std::string occasion_ = "joined";
};

}  // namespace harness::fleet
