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

/// Checks plugins on one device: their manifests, spaces and launch arithmetic, their gates against mutants, their
/// reference against the baseline through all gates, and every variant through the compilers that are here.
class KernelChecker {
 public:
  /// `options.architecture`: "": the first GPU's. `kernels`: what will be checked. Throws Error(bad_input) for an
  /// architecture, a device or, with the nearest name, a kernel that is not there.
  KernelChecker(Shell& shell, const std::string& device, CheckOptions options, const std::vector<std::string>& kernels);
  /// What is wrong with the plugin is a problem; throws Error(environment) alone.
  KernelCheck check(const std::string& kernel);
  std::vector<std::string> kernel_names() { return catalog_->kernel_names(); }
  /// Why compiling for the architecture is not checked; "": it is.
  std::string unchecked() const;

 private:
  CheckOptions options_;
  Places places_;
  OfflineDevice offline_;
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<Evaluator> evaluator_;
  std::unique_ptr<Archive> archive_;
};

}  // namespace harness
