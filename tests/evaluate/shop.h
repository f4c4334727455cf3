#pragma once
#include <string>

#include "harness/device/cpu/cpu_kind.h"
#include "harness/device/cpu/probe.h"
#include "harness/evaluate/limits.h"
#include "harness/evaluate/worker_pool.h"
#include "harness/script/catalog/catalog.h"
#include "harness/worker/processes/process.h"
#include "tests/support/program.h"

namespace harness::tests {

/// The real workers of the cpu device over the kernels of one folder.
struct Shop {
  explicit Shop(const std::string& kernels)
      : catalog({std::string(HARNESS_SOURCE_DIR) + kernels}, {std::string(HARNESS_SOURCE_DIR) + "/kernels/include"}),
        device(probe_cpu()),
        target{"cpu", device.architecture, build_cache(), HARNESS_SOURCE_DIR "/harness/device/cpu/guest", true, {}} {
    Process::set_program(HARNESS_BINARY);
  }
  /// In its default configuration.
  Realized realize(const std::string& kernel, const std::string& variant, const std::string& workload) {
    const Config config = catalog.plugin(kernel).default_config(variant, workload, device, {});
    return catalog.plugin(kernel).realize({kernel, variant, "", config}, workload, device);
  }

  script::LuaCatalog catalog;
  cpu::CpuKind kind;
  DeviceInfo device;
  Target target;
  Builders builders{target, 1};
  JudgeProcess judge{target, {}};
  Runner runner{target, {}};
  WorkerPool workers{kind, target, device, default_limits(device), {}, builders, judge, runner, nullptr, {}};
};

}  // namespace harness::tests
