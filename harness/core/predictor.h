#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/catalog.h"

namespace harness {

/// The times that a model of a GPU expects of some candidates. Never measured.
struct PredictedTimes {
  std::int64_t ticket = 0;
  std::vector<std::optional<double>> ns;  // in the order of the candidates; absent: nothing could be predicted, or the
                                          // time was up before
};

/// Port to what predicts times of candidates while the campaign goes on. Nothing waits for it.
class Predictor {
 public:
  virtual ~Predictor() = default;
  /// The device that counts: candidates are realized for it.
  virtual DeviceInfo device() = 0;
  /// Whose times they are: a name of core/gpu.h.
  virtual std::string gpu() = 0;
  /// Takes candidates up, after those that it has. Each ticket is answered once.
  virtual void begin(std::int64_t ticket, std::vector<Realized> candidates) = 0;
  /// Nothing: no other ticket has come to its end yet.
  virtual std::optional<PredictedTimes> take() = 0;
};

}  // namespace harness
