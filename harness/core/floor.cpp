#include "harness/core/floor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace harness {
namespace {

std::string scaled(double number, const char* unit) {
  constexpr std::array kPrefixes{"", "K", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  for (; number >= 1000 && prefix + 1 < kPrefixes.size(); ++prefix) number /= 1000;
  return fmt::format("{:.3g} {}{}", number, kPrefixes[prefix], unit);
}

/// Adds the time of one kind of work to `ns`; false if its peak is unknown.
bool add_term(FloorSum& sum, double& ns, const std::string& what, double amount, double peak, const char* unit,
              const char* peak_unit) {
  if (amount <= 0) return true;
  if (peak <= 0) return false;
  const double term_ns = amount / peak * 1e9;
  ns += term_ns;
  if (!sum.terms.empty()) sum.terms += "; ";
  sum.terms +=
      fmt::format("{} {} / {} = {:.3f} us", what, scaled(amount, unit), scaled(peak, peak_unit), term_ns / 1000);
  return true;
}

}  // namespace

std::optional<FloorSum> floor_ns(const Work& work, const DeviceInfo& device) {
  if (device.emulation) return std::nullopt;
  FloorSum sum;
  double bytes_ns = 0, flops_ns = 0, exps_ns = 0;
  bool known = add_term(sum, bytes_ns, "bytes", work.bytes, device.peak_bytes_per_s, "B", "B/s");
  for (const auto& [dtype, flops] : work.flops) {
    const auto peak = device.peak_flops.find(dtype);
    known =
        add_term(sum, flops_ns, dtype, flops, peak == device.peak_flops.end() ? 0 : peak->second, "FLOP", "FLOP/s") &&
        known;
  }
  known = add_term(sum, exps_ns, "exponentials", work.exps, device.peak_exps_per_s, "exp", "exp/s") && known;
  sum.ns = std::max({bytes_ns, flops_ns, exps_ns});
  sum.binds = sum.ns == bytes_ns ? "bytes" : sum.ns == flops_ns ? "flops" : "exps";
  if (!known || sum.ns == 0) return std::nullopt;
  return sum;
}

CallCosts call_costs(const MeasuredPeaks& measured) {
  return {measured.launch_ns, measured.memory_trip_ns, measured.l2_trip_ns};
}

CallCosts call_costs(const GpuFacts& gpu) {
  return {gpu.launch_ns, gpu.memory_ns, gpu.l2_ns};
}

std::optional<LimitSum> limit_ns(const Work& work, const DeviceInfo& device, const CallCosts& costs) {
  const auto floor = floor_ns(work, device);
  if (!floor || costs.launch_ns <= 0 || costs.memory_trip_ns <= 0) return std::nullopt;
  const double further_ns = work.dependent * costs.l2_trip_ns;
  LimitSum sum{costs.launch_ns + costs.memory_trip_ns + further_ns + floor->ns, ""};
  sum.terms = fmt::format("launch {:.2f} us + memory {:.2f} us", costs.launch_ns / 1e3, costs.memory_trip_ns / 1e3);
  if (further_ns > 0) sum.terms += fmt::format(" + {:g} to the L2 {:.2f} us", work.dependent, further_ns / 1e3);
  sum.terms += fmt::format(" + floor {:.3f} us", floor->ns / 1e3);
  return sum;
}

std::optional<LimitSum> known_limit(const Work& work, const DeviceInfo& device) {
  const GpuFacts* const gpu = gpu_of_device(device.name);
  return gpu == nullptr ? std::nullopt : limit_ns(work, device, call_costs(*gpu));
}

}  // namespace harness
