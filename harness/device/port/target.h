#pragma once
#include <string>

#include "harness/core/json.h"
#include "harness/system/compile_limits.h"

namespace harness {

/// Which device a worker serves and where it finds its things. The first message a worker is sent.
struct Target {
  std::string device;         // "cpu", "cuda:0"
  std::string architecture;   // "sm_90a"; for cpu "x86-64"
  std::string cache_folder;   // content-addressed artifacts
  std::string headers;        // that its compiler puts beside the sources' own (DeviceKind::find_headers)
  bool native = false;        // DeviceInfo::native
  CompileLimits compile;      // of one build
  bool trust_source = false;  // native code runs even where this machine cannot cage it (system/rights.h)
  bool beside = false;        // its workers take the cores that nobody else wants
};

void to_json(json& to, const Target& value);
void from_json(const json& from, Target& value);

}  // namespace harness
