#pragma once
#include <map>
#include <string>

#include "harness/campaign/context.h"

namespace harness {

/// What a campaign asks of a device before anything is judged there: what it reaches, and whether each kernel's gates
/// catch the kernel's mutants.
class Admissions {
 public:
  explicit Admissions(CampaignContext& context) : context_(context) {}

  /// Times are held against what the device reaches. Measured on first sight of it, else looked up.
  void measure_device();
  /// Of several kernels one may fail, or find no time left: the others go on without it. Throws Error(bad_input) where
  /// the gates of every kernel fail.
  Ended admit_kernels();

  /// nullptr: it was not admitted.
  const Admission* of(const std::string& kernel) const;
  double seconds(const std::string& kernel) const;
  /// Why nothing of the kernel is evaluated; "" where something may be.
  std::string left_out(const std::string& kernel) const;

 private:
  void leave_out(const std::string& kernel, const std::string& why);
  void charge(double seconds);

  CampaignContext& context_;
  std::map<std::string, Admission> admissions_;  // by kernel
  std::map<std::string, double> seconds_;
  std::map<std::string, std::string> left_out_;
};

}  // namespace harness
