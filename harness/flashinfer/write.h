#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/core/archive.h"
#include "harness/core/formula_catalog.h"

namespace harness::flashinfer {

struct Exported {
  std::map<std::string, std::string> files;  // path below the data set's folder -> text
  int definitions = 0, workloads = 0, solutions = 0, traces = 0;
  std::vector<std::string> left_out;  // sentences: what of the record is no FlashInfer-Bench data, and why
};

/// What the record has of these kernels as a FlashInfer-Bench data set: a definition for each type and set of flags,
/// the measured workloads, the original and each workload's best as CUDA solutions, a trace for each time. `emulated`:
/// also times of the cpu device, whose hardware is named so. `program`: "harness 0.1.0", their author. Throws
/// Error(bad_input) where nothing at all can be written.
Exported export_dataset(Archive& archive, FormulaCatalog& catalog, const std::vector<std::string>& kernels,
                        bool emulated, const std::string& program);

}  // namespace harness::flashinfer
