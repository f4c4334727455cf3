#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/service/shell.h"
#include "harness/shipping/judged_package.h"
#include "harness/shipping/package_rebuild.h"
#include "harness/shipping/package_signature.h"

namespace harness {

/// What `verify` is asked.
struct VerifyQuestion {
  std::string folder, device = "auto";
  std::string digest;  // that `harness package` told; "": any
  std::string key;     // file of the public key that must have signed it; "": any, or none
};

/// A workload of the package; no pair where the package chose the original.
struct VerifiedWorkload {
  std::string workload;
  std::optional<PairResult> pair;
};

struct Verification {
  std::string kernel, digest;
  PackageSignature signature;
  DeviceInfo device;
  std::size_t files = 0;  // of the package, as they were packaged
  RebuiltCode code;
  std::vector<VerifiedWorkload> workloads;  // that were measured on such a device
  std::size_t gates = 0, failed_gates = 0;
  bool holds = false;
  bool interrupted = false;
};

/// Told while it works.
struct VerifyWatch {
  std::function<void(const Verification&)> begun;  // files and device are known
  std::function<void(const VerifiedWorkload&)> judged;
};

/// Whether a package holds on this machine: its files are those that were packaged, its sources compile to its code,
/// and each winner passes all gates and is no slower than the original beside it. Where the signature does not hold,
/// nothing of it is compiled or run. Throws Error(bad_input) for a package
/// that is not whole, Error(environment) without the device that it was measured on.
Verification verify_package(const Shell& shell, const VerifyQuestion& question, const VerifyWatch& watch);

}  // namespace harness
