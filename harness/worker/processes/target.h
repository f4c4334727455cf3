#pragma once
#include <memory>
#include <string>
#include <vector>

#include "harness/core/device.h"
#include "harness/system/compile_limits.h"

namespace harness {

/// Which device a worker serves and where it finds its things. The first message a worker is sent.
struct Target {
  std::string device;           // "cpu", "cuda:0"
  std::string architecture;     // "sm_90a"; for cpu "x86-64"
  std::string cache_folder;     // content-addressed artifacts
  std::string cpu_headers;      // the emulation's headers
  std::string toolkit_include;  // where cuda_fp16.h is; "" if nowhere
  CompileLimits compile;        // of one build
};

bool is_cpu(const Target& target);
int cuda_ordinal(const Target& target);  // 1 of "cuda:1"
/// Confined as well as this machine allows (system/walls.h). Throws Error(environment): no compiler.
std::unique_ptr<Compiler> make_compiler(const Target& target);
std::unique_ptr<Session> make_session(const Target& target);  // throws Error(environment): no such device

/// Everything that could be a device here, available or not, the GPUs first.
std::vector<DeviceInfo> probe_devices();

void to_json(json& to, const Target& value);
void from_json(const json& from, Target& value);

}  // namespace harness
