#include "harness/system/machine_state.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace harness {
namespace {

constexpr double kHot = 90;    // degrees: where processors of today begin to slow down
constexpr double kBusy = 1.5;  // runnable processes for each core, besides ours

template <typename Number>
Number first_number(const std::filesystem::path& file, Number otherwise) {
  std::ifstream text(file);
  Number value{};
  return text >> value ? value : otherwise;
}

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

double hottest_zone() {
  double hottest = -1;
  std::error_code failed;
  for (const auto& zone : std::filesystem::directory_iterator("/sys/class/thermal", failed)) {
    if (!zone.path().filename().string().starts_with("thermal_zone")) continue;
    hottest = std::max(hottest, first_number<double>(zone.path() / "temp", -1000) / 1000);  // millidegrees
  }
  return hottest;
}

}  // namespace

MachineState machine_state() {
  MachineState state;
  state.load = first_number<double>("/proc/loadavg", -1);
  state.cores = usable_cores();
  state.hottest_c = hottest_zone();
  state.throttled = first_number<long long>("/sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", -1);
  return state;
}

std::string complaint_of(const MachineState& now, const MachineState& before, double own_load) {
  if (before.throttled >= 0 && now.throttled > before.throttled)
    return fmt::format("this machine's processors were slowed down for their heat {} times since the start",
                       now.throttled - before.throttled);
  if (now.hottest_c >= kHot) return fmt::format("this machine is hot: {:.0f} degrees", now.hottest_c);
  if (now.load - own_load > kBusy * now.cores)
    return fmt::format("this machine is busy: load {:.1f} on {} core{}; times are noisy and building takes longer",
                       now.load, now.cores, now.cores == 1 ? "" : "s");
  return "";
}

}  // namespace harness
