#include "harness/device/cpu/calibrate.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <functional>
#include <vector>

namespace harness::cpu {
namespace {

constexpr std::size_t kCopied = 16 << 20;
constexpr int kSteps = 1 << 18;
constexpr std::size_t kChains = 8;
constexpr int kTurns = 12;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The lower quartile of what a turn takes; the first warms.
double turn_s(const std::function<void()>& turn) {
  std::vector<double> taken;
  for (int i = 0; i <= kTurns; ++i) {
    const double begin = seconds();
    turn();
    if (i > 0) taken.push_back(seconds() - begin);
  }
  std::ranges::nth_element(taken, taken.begin() + kTurns / 4);
  return taken[kTurns / 4];
}

/// Multiply-adds that depend on each other, in as many chains as hide what one takes.
float multiply_and_add(float factor) {
  std::array<float, kChains> sums{};
  for (int step = 0; step < kSteps; ++step)
    for (float& sum : sums) sum = sum * factor + 1.0F;
  float all = 0;
  for (const float sum : sums) all += sum;
  return all;
}

}  // namespace

CardCalibration calibrate() {
  std::vector<std::byte> from(kCopied, std::byte{1}), to(kCopied);
  CardCalibration calibration;
  calibration.method = "cpu 1: memcpy of 16 MiB, chains of multiply-adds on one core";
  calibration.bytes_per_s = 2.0 * kCopied / turn_s([&] { std::memcpy(to.data(), from.data(), kCopied); });
  volatile float factor = 0.5F, sink = 0;
  calibration.operations_per_s = 2.0 * kSteps * kChains / turn_s([&] { sink = multiply_and_add(factor); });
  return calibration;
}

}  // namespace harness::cpu
