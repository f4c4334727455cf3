#pragma once
#include <functional>
#include <string>
#include <vector>

#include "harness/core/admission.h"
#include "harness/service/shell.h"

namespace harness {

/// How a kernel plugin is checked.
struct CheckOptions {
  std::string architecture;                           // that every variant is compiled for
  bool keep = false;                                  // what the trial of the gates found is put beside the kernel
  bool baseline_later = false;                        // an evaluation comes right behind, with the same gates
  std::function<void(const std::string& line)> tell;  // what it does, while it works; empty: nobody listens
};

struct KernelCheck {
  std::vector<std::string> problems;  // none: the kernel is fit to be optimized
  Admission admission;
};

/// A plugin's manifests, spaces and launch arithmetic, its gates against mutants, its reference against its baseline
/// through all gates, and every variant through the compilers that are here. Throws Error(environment); what is wrong
/// with the plugin is a problem.
KernelCheck check_kernel(const std::string& name, Catalog& catalog, Evaluator& evaluator, AdmissionRecord& admissions,
                         const OfflineDevice& offline, const CheckOptions& options);

}  // namespace harness
