#include "harness/core/device.h"

#include "harness/core/json_fields.h"

namespace harness {

std::string device_kind(const std::string& device) {
  return device.substr(0, device.find(':'));
}

int device_number(const std::string& device) {
  const std::size_t colon = device.find(':');
  return colon == std::string::npos ? 0 : std::stoi(device.substr(colon + 1));
}

std::vector<Samples> Session::time(std::span<const Executable>, std::span<const ImageList>, std::span<const ImageList>,
                                   const TimingPolicy&) {
  throw NotSupported("this device has no clock that can be believed");
}

MeasuredPeaks Session::measure_peaks() {
  throw NotSupported("this device has no clock that can be believed");
}

HARNESS_JSON_DEFAULTS(DeviceInfo, device, name, uuid, available, emulation, predicts, native, architecture, driver,
                      compiler, missing, compute_capability, multiprocessors, max_threads_per_block, max_shared_bytes,
                      l2_bytes, memory_bytes, peak_bytes_per_s, peak_flops, peak_exps_per_s)
HARNESS_JSON(Executable, artifact, plan, problem, layout, counting, plain)
HARNESS_JSON(TimingPolicy, noise, max_s, burst_s, pause_s, min_samples, cold, abandon_factor, until_verdict)
HARNESS_ENUM_TABLE(CallKind, "kind of timed call",
                   {{CallKind::rotating, "rotating"}, {CallKind::cold, "cold"}, {CallKind::warm, "warm"}})
HARNESS_JSON(KeptCall, place, kind, image, seeds)
HARNESS_JSON(TwiceLaunched, sets, unequal, first_unequal)
HARNESS_JSON_DEFAULTS(Samples, rotating_ns, cold_ns, warm_ns, single_warm_ns, clock_mhz, calls_per_sample, input_sets,
                      kept, twice, foreign_processes, method)
HARNESS_JSON_DEFAULTS(MeasuredPeaks, bytes_per_s, l2_bytes_per_s, flops, exps_per_s, launch_ns, memory_trip_ns,
                      l2_trip_ns)

}  // namespace harness
