#include "harness/serve_mcp/times.h"

#include <fmt/format.h>

#include "harness/core/gpu.h"

namespace harness::mcp {

Answer with_kind_of_times(const Answer& row, const std::string& device, bool emulation) {
  if (!emulation) return row;
  const std::string gpu = predicted_gpu(device), kind = gpu.empty() ? "emulated_" : "predicted_";
  Answer named = Answer::object();
  bool any = false;
  for (const auto& [key, value] : row.items()) {
    std::string name = key;
    if (key == "time_ns" || key == "time_ci95_ns") name = kind + key.substr(std::string("time_").size());
    else if (key == "baseline_ns" || key == "best_ns" || key == "cold_time_ns" || key == "rival_ns") name = kind + key;
    any = any || name != key;
    named[name] = value;
  }
  if (any)
    named["times"] = gpu.empty() ? "emulated on a CPU: they rank nothing on a GPU"
                                 : fmt::format("predicted for {} by counting, not measured", gpu);
  return named;
}

std::string common_time(const Answer& one, const Answer& other) {
  for (const char* key : {"time_ns", "predicted_ns", "emulated_ns"})
    if (one.contains(key) && other.contains(key) && one.value("times", "") == other.value("times", "")) return key;
  return "";
}

}  // namespace harness::mcp
