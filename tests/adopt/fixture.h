#pragma once
#include <memory>
#include <string>

#include "harness/adopt/adopt.h"
#include "harness/device/cpu/cpu_kind.h"
#include "harness/worker/observation.h"
#include "harness/worker/processes/process.h"
#include "tests/support/program.h"

namespace harness::tests {

/// Observes on the cpu device.
inline std::unique_ptr<Observer> cpu_observer() {
  static const cpu::CpuKind kind;
  Process::set_program(HARNESS_BINARY);
  const Target target{.device = "cpu",
                      .architecture = "x86-64",
                      .cache_folder = build_cache(),
                      .headers = HARNESS_SOURCE_DIR "/harness/device/cpu/guest",
                      .native = true};
  return make_observer(kind, target, nullptr);
}

inline adopt::Adopted adopted(const adopt::AdoptOptions& options) {
  return adopt::adopt(options, *cpu_observer(), {HARNESS_SOURCE_DIR "/kernels/include"});
}

inline std::string ordinary(const std::string& file) {
  return std::string(HARNESS_SOURCE_DIR) + "/examples/ordinary/" + file;
}

/// "x: input f32 [rows, cols]", a line each.
inline std::string pointers_of(const adopt::Adopted& adopted) {
  std::string text;
  for (const adopt::AdoptedParameter& each : adopted.kernel.parameters)
    if (each.kind == adopt::Param::pointer)
      text += each.name + ": " + each.role + " " + std::string(name(each.dtype)) + " " +
              adopt::shape_text(adopted.kernel, each) + "\n";
  return text;
}

}  // namespace harness::tests
