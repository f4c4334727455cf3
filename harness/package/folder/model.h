#pragma once
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "harness/package/folder/dispatch.h"
#include "harness/package/folder/record.h"
#include "harness/package/launcher/launcher.h"

namespace harness::package {

/// A module as a compiler made it.
struct CompiledCode {
  Artifact artifact;
  std::string bytes;
  std::map<std::string, std::string> symbols;  // entry, or constant_key of a variable -> the name in the module
};

/// Compilers of the architectures that a package is for.
struct CodeMaker {
  std::vector<DeviceInfo> devices;      // one an architecture
  std::vector<DeviceInfo> ptx_devices;  // of the architectures that PTX is asked for, without suffix: "sm_90"
  /// Code whose `bytes` are PTX for a device of `ptx_devices`, or why there is none.
  std::function<std::variant<CompiledCode, std::string>(const DeviceInfo& device, const BuildSpec& build)> ptx;
  /// Throws Error(bad_input) with the compiler's log where it does not compile.
  std::function<CompiledCode(const DeviceInfo& device, const BuildSpec& build)> compile;
};

/// A module of the package.
struct PackageUnit {
  BuildSpec build;
  std::string variant;
  std::vector<CompiledCode> code;  // one for each of CodeMaker::devices; empty where the variant does not run there
  std::vector<CompiledCode> ptx;   // one for each of CodeMaker::ptx_devices, likewise
};

/// Everything that a package says, before it is written.
struct PackageModel {
  Launcher launcher;
  std::vector<PackageUnit> units;
  PackageRecord record;
  Dispatch dispatch;  // its configurations count from `first_winner` in the launcher
  std::size_t first_winner = 0;
  std::vector<std::string> left_out;  // what of the domain nothing was compiled for, sentences
};

/// Traces, compiles and puts together. `most` > 0: no more configurations than that beside the original.
PackageModel make_package(FormulaCatalog& catalog, const CodeMaker& code, const std::string& kernel,
                          PackageRecord record, std::size_t most, const std::string& program);

}  // namespace harness::package
