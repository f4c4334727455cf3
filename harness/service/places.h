#pragma once
#include <functional>
#include <string>
#include <vector>

#include "harness/core/display.h"

namespace harness {

/// Where things are: plugins, headers, cache and store. Found once, from the environment, the current folder and the
/// program's own place.
struct Places {
  std::string home;     // holds what came with the program: strategies/, kernels/ with the device headers
  std::string project;  // the project the current folder is in; "" outside one
  std::string own;      // where `harness new` writes: the project, or $HARNESS_HOME; "" where there is neither
  std::vector<std::string> kernel_folders;
  std::vector<std::string> strategy_folders;
  std::vector<std::string> playbook_folders;
  std::string include_folder;  // kernels/include
  std::string cpu_headers;     // what the cpu device puts in CUDA's headers' place
  std::string cache_folder;    // compiled artifacts
  int programs = 1;            // of this kind that share the machine's cores
  bool preflight = true;       // --no-preflight: candidates for a GPU are not tried on the cpu device first
  bool policy_refuses = true;  // --policy mark: what the source policy flags is only marked
  bool trust_source = false;   // --trust-source: native code runs where this machine cannot cage it
  bool beside = false;         // workers of a device beside another, whose timings come first: on cores that are free
  std::function<void(const EvaluationPhase&)> on_phase;  // told what an evaluation does now; empty: nobody watches
  std::string default_store;  // $HARNESS_DB, else experiments.db in the project or the current folder
};

/// The file that makes a folder a project (`harness init`). Its kernels are the project's own alone; strategies, rules,
/// searches and pages of the playbook are its own and those of the program.
inline constexpr const char* kProjectFile = ".harness-project";

/// The project that a folder lies in: the nearest one above it with that file, or a whole home; "" if there is none.
std::string project_above(const std::string& folder);

/// Throws Error(environment) if no plugin folder is found anywhere.
Places find_places();

/// Where facts of GPUs are (core/gpu.h): the project's own first, then those that came with the program.
std::vector<std::string> gpu_folders(const Places& places);
/// The same for models (core/model.h).
std::vector<std::string> model_folders(const Places& places);

}  // namespace harness
