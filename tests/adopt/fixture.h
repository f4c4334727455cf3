#pragma once
#include <memory>
#include <string>

#include "harness/adopt/adopt.h"
#include "harness/adopt/kernel/options.h"
#include "harness/adopt/plugin/lua_text.h"
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

/// A file of this text.
inline adopt::Adopted adopted_source(const std::string& source, adopt::AdoptOptions options = {}) {
  const Scratch scratch;
  scratch.write("mine.cu", source);
  options.file = scratch.path("mine.cu");
  return adopted(options);
}

/// The same, where the reference is not what is tested.
inline adopt::Adopted self_referenced(const std::string& source, adopt::AdoptOptions options = {}) {
  options.reference = "self";
  return adopted_source(source, std::move(options));
}

/// The kernel as its signature and launch alone say.
inline adopt::AdoptedKernel chosen_kernel(const std::string& source) {
  const Scratch scratch;
  scratch.write("mine.cu", source);
  adopt::AdoptOptions options;
  options.file = scratch.path("mine.cu");
  return adopt::choose_kernel(adopt::declare(options));
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
