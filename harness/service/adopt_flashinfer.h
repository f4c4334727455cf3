#pragma once
#include <string>
#include <vector>

#include "harness/adopt/kernel/options.h"
#include "harness/adopt/plugin/match_problem.h"
#include "harness/adopt/plugin/plugin_file.h"
#include "harness/system/temporary_folder.h"

namespace harness {

/// A definition of a FlashInfer-Bench data set with one of its CUDA solutions, unpacked to be adopted.
class FlashinferSource {
 public:
  /// `definition`, `solution`: names; "" where there is one only. Throws Error(bad_input) for what is not there, is
  /// ambiguous, or is no CUDA source.
  FlashinferSource(const std::string& dataset, const std::string& definition, const std::string& solution);

  adopt::Problem problem;
  std::string file;                        // of the solution, with the kernel
  std::string noted;                       // where the plugin keeps it: a path from its folder
  std::vector<adopt::PluginFile> besides;  // what the plugin keeps of the data set
  std::vector<std::string> notes;          // sentences on what is not taken

  /// The option --reference for the definition's own reference; "" where this machine has no PyTorch.
  std::string reference(const adopt::Matched& matched) const;

 private:
  TemporaryFolder folder_{"flashinfer"};
};

}  // namespace harness
