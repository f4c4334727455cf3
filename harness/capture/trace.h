#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/json.h"

// What the library in capture/injected wrote of a program: read, joined over its processes and ranked.
namespace harness::capture {

/// A value that a launch passed. `allocation` > 0: an address in device memory, with so many bytes behind it.
struct PassedValue {
  std::int64_t offset = 0, allocation = 0;
  std::vector<unsigned char> bytes;
};

/// Launches of a kernel with one grid, block and dynamic shared memory.
struct LaunchGroup {
  std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::int64_t shared = 0, calls = 0;
  double total_ns = 0, least_ns = 0, most_ns = 0;
  std::vector<PassedValue> values;  // of the first of them
};

/// Whose kernel it is, as far as its name and the sources here tell.
enum class Origin { source, triton, inductor, cublas, cudnn, cutlass, pytorch, nccl, unknown };

struct CapturedKernel {
  std::string linked;  // the name by which it is linked
  std::string name;    // as C++ has it, without parameters: "softmax<float, 256>"
  std::string entry;   // of that the function's name alone: "softmax"
  Origin origin = Origin::unknown;
  std::string source;  // the file that defines it; "" where none was found
  int registers = 0;
  std::int64_t static_shared = 0, calls = 0;
  double total_ns = 0;
  double share = 0;                 // of all GPU time
  double whole_speedup_at_2x = 1;   // of all GPU time, if this kernel took half as long
  std::vector<LaunchGroup> groups;  // the longest first
};

struct Capture {
  std::vector<CapturedKernel> kernels;  // the longest first
  int processes = 0;
  double total_ns = 0;
  std::vector<std::string> errors;  // sentences: processes that could not be watched
};

/// Of all process-PID.json in `folder`; sources are looked for below `source_folders`. Throws Error(bad_input) for what
/// is no such file.
Capture read_capture(const std::string& folder, const std::vector<std::string>& source_folders);

/// "cuBLAS".
std::string origin_text(Origin origin);

/// The object of capture.json and of --json.
json capture_json(const Capture& capture);

/// launch.json with the memory before and after.
struct CapturedLaunch {
  CapturedKernel kernel;
  LaunchGroup launch;
  std::vector<std::string> before, after;  // by value: paths; "" where the value is no address
};
/// Of `folder`/launch. Throws Error(bad_input) where none was taken, with what to type.
CapturedLaunch read_launch(const std::string& folder, const std::vector<std::string>& source_folders);

/// "ns::softmax<float, 256>" -> "softmax".
std::string entry_of(const std::string& name);

}  // namespace harness::capture
