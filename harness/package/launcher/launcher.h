#pragma once
#include <string>
#include <vector>

#include "harness/core/formula_catalog.h"

// A launcher with a C interface, for programs without harness: header and source.
namespace harness::package {

/// One module: the same source, defines and options. `images[i]` is its machine code for Launcher::architectures[i];
/// "" where there is none. `ptx[i]` is its PTX for Launcher::ptx_architectures[i], likewise.
struct LauncherUnit {
  std::vector<std::string> images, ptx;
};

/// A kernel in a module.
struct LauncherKernel {
  std::string entry;  // as the manifest calls it
  std::size_t unit = 0;
  std::string symbol;  // as the loader does
};

/// A `__constant__` variable in a module.
struct LauncherVariable {
  std::string name;  // as the manifest calls it
  std::size_t unit = 0;
  std::string symbol;  // as the loader does
};

struct LauncherConfiguration {
  Candidate candidate;
  bool original = false;  // of the baseline
};

/// A configuration for certain flags, types and sizes that are compiled in (FormulaPlan::fixed).
struct LauncherInstance {
  std::size_t configuration = 0;
  FormulaPlan plan;
  std::vector<std::size_t> kernels;    // of the plan's launches, in their order
  std::vector<std::size_t> variables;  // of the plan's constants, in their order
};

/// All these fields have one value, from lo to hi.
struct Condition {
  std::vector<std::string> fields;
  Value lo, hi;
};

/// Where a configuration was measured to be the fastest.
struct DispatchRule {
  std::string device;  // "NVIDIA H200"; "": any
  std::size_t configuration = 0;
  std::vector<Condition> conditions;
  std::string why;  // one line
};

struct Launcher {
  std::string kernel, summary, program;
  std::vector<FieldLimits> fields;
  std::vector<std::string> architectures;      // "sm_90a"
  std::vector<std::string> ptx_architectures;  // "compute_90"; empty where no PTX was asked for
  std::vector<LauncherUnit> units;
  std::vector<LauncherKernel> kernels;
  std::vector<LauncherVariable> variables;
  std::vector<LauncherConfiguration> configurations;
  std::vector<LauncherInstance> instances;
  std::vector<DispatchRule> rules;  // the first that holds counts; then the originals, in their order
};

struct LauncherFiles {
  std::string header, source;     // NAME.h, NAME.cpp
  std::string math;               // NAME_math.h: the arithmetic that the sources share
  std::string code_header, code;  // NAME_code.h, NAME_code.cpp: the machine code
};

/// Throws Error(bad_input), one sentence, for what a launcher cannot say.
LauncherFiles launcher_files(const Launcher& launcher);

/// The launcher's name in C, from the kernel's.
std::string launcher_name(const std::string& kernel);
/// The arrays in NAME_code.cpp of a unit's machine code and of its PTX: `place` counts within the architectures.
std::string image_name(const std::string& kernel, std::size_t unit, std::size_t place);
std::string ptx_name(const std::string& kernel, std::size_t unit, std::size_t place);

/// The type and name of each argument: "const void* q", "float scale". In the contract's order.
std::vector<std::string> launcher_parameters(const Launcher& launcher);

/// Number of a field's text value in C; -1: it has none.
int enumerator(const Launcher& launcher, const std::string& field, const std::string& text);
/// The text values of a field in the order of their numbers.
std::vector<std::string> enumerators(const Launcher& launcher, const std::string& field);

}  // namespace harness::package
