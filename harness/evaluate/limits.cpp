#include "harness/evaluate/limits.h"

namespace harness {

Limits default_limits(const DeviceInfo& device) {
  Limits limits;
  if (device.emulation) {
    limits.screen = {
        .noise = 0.1, .max_s = 0.1, .burst_s = 0, .pause_s = 0, .min_samples = 6, .cold = false, .until_verdict = true};
    limits.search = {.noise = 0.05, .max_s = 0.3, .burst_s = 0, .pause_s = 0, .min_samples = 6, .cold = false};
    limits.confirm = {.noise = 0.02, .max_s = 1.0, .burst_s = 0, .pause_s = 0, .min_samples = 12, .cold = false};
    return limits;
  }
  limits.run_s = 5;
  limits.screen = {.noise = 0.01, .max_s = 0.06, .burst_s = 0.004, .pause_s = 0.001, .min_samples = 6, .cold = false};
  limits.search = {.noise = 0.005, .max_s = 0.15, .burst_s = 0.02, .pause_s = 0.005, .min_samples = 12, .cold = true};
  limits.confirm = {.noise = 0.002, .max_s = 1.0, .burst_s = 0.02, .pause_s = 0.02, .min_samples = 30, .cold = true};
  return limits;
}

}  // namespace harness
