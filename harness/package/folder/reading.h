#pragma once
#include <string>
#include <vector>

#include "harness/core/catalog.h"

namespace harness::package {

/// A measured workload of a package.
struct PackagedWorkload {
  Workload workload;
  std::string device;  // where it was measured
  double original_ns = 0;
  std::optional<Candidate> winner;  // none: the original is the fastest there
  std::optional<double> time_ns;
};

/// A package as it lies on disk.
struct PackageFolder {
  std::string folder, kernel, digest;  // of kernel.json: it stands for the whole package
  std::string text;                    // kernel.json
  json description;                    // the same, read
  Candidate original;
  std::vector<PackagedWorkload> workloads;
  std::size_t files = 0;  // with a digest

  bool emulated() const;
  /// GPUs whose times were predicted for it, by counting; empty where times were taken.
  std::vector<std::string> predicted() const;
  std::vector<std::string> device_names() const;
  /// Of a workload, when it was packaged.
  std::string contract_hash(const std::string& workload) const;
  std::string kernels_folder() const { return folder + "/plugin/kernels"; }
  std::string include_folder() const { return folder + "/plugin/include"; }
};

/// Reads kernel.json and compares the digest of every file. Throws Error(bad_input), one sentence, for a folder that is
/// no package and for one of which a file is missing, changed or added; `digest`: also if kernel.json has another one.
PackageFolder read_package(const std::string& folder, const std::string& digest = "");

}  // namespace harness::package
