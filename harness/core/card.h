#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/enum_text.h"
#include "harness/core/json.h"

// Whether a card is still what it was. Cards of one name differ, which ratios allow for; one that changes while a
// campaign compares its times is another matter.
namespace harness {

/// What surrounds a calibration, read while the card is at work. What nobody tells is absent.
struct CardState {
  std::optional<double> sm_clock_mhz, memory_clock_mhz, temperature_celsius, power_watts, power_limit_watts;
  std::optional<std::int64_t> throttle_reasons;                // NVML's bits: 0x4 is the power cap
  std::optional<std::int64_t> ecc_corrected, ecc_uncorrected;  // memory errors since the driver was loaded
  std::vector<std::int64_t> xids;                              // critical errors that the driver has told of meanwhile
};

/// What a card did when it was asked to do two things that every card can: to move memory, and to compute.
struct CardCalibration {
  double bytes_per_s = 0;       // a copy that no cache holds, bytes read and written
  double operations_per_s = 0;  // a loop of arithmetic: of the tensor cores where there are some
  std::string method;           // of how it was made; calibrations of two methods are not compared. "": none was made
  CardState state;
  bool made() const { return !method.empty(); }
};

/// `first`: what later ones are held against. `suspect`: it drifted, or told of an error; it goes on and is calibrated
/// again before its next evaluation. `quarantined`: it did so twice, and gets no more work.
enum class CardVerdict { first, good, suspect, quarantined };

/// A calibration of a card of a fleet, and what was concluded.
struct CardCheck {
  std::string node, device_uuid, device_name, driver_release;
  CardCalibration calibration;  // of several in a row the median
  std::string occasion;         // "joined", "due", "doubted"
  CardVerdict verdict = CardVerdict::good;
  std::optional<double> drift;  // of the rate that changed most beside the card's first one: -0.05 is 5 % slower
  std::string why;              // a sentence where it is not good
  double seconds = 0;           // that the card was held
};

HARNESS_ENUM_TEXT(CardVerdict);
void to_json(json& to, const CardState& value);
void from_json(const json& from, CardState& value);
void to_json(json& to, const CardCalibration& value);
void from_json(const json& from, CardCalibration& value);

}  // namespace harness
