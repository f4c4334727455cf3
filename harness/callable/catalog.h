#pragma once
#include "harness/callable/question.h"

namespace harness::callable {

inline constexpr const char* kBaseline = "00_baseline";
inline constexpr const char* kCompiled = "10_compiled";

/// The caller's process as a device. Its name says so: times of it stand beside no others.
DeviceInfo device_of(const Question& question);

/// One kernel with one workload: the baseline, and what the caller compiles for a configuration.
class CallableKernel : public KernelPlugin {
 public:
  explicit CallableKernel(Question question);
  const KernelInfo& info() override { return info_; }
  Problem problem(const std::string& workload) override;
  Prior prior(const std::string& variant, const std::string& workload) override;
  VariantTexts variant_texts(const std::string& variant) override;
  std::string unsupported_reason(const std::string&, const DeviceInfo&) override { return ""; }
  Space space(const std::string& variant, const std::string& workload, const DeviceInfo& device) override;
  Config default_config(const std::string& variant, const std::string& workload, const DeviceInfo& device,
                        const Config& given) override;
  Realized realize(const Candidate& candidate, const std::string& workload, const DeviceInfo& device) override;
  std::string admission_hash() override;

 private:
  const std::string& source_of(const std::string& variant) const;
  Question question_;
  KernelInfo info_;
  Problem problem_;
  std::string
      process_;  // a trial of the gates holds for this one: the text of a function does not say all that it does
};

class CallableCatalog : public Catalog {
 public:
  explicit CallableCatalog(Question question) : kernel_(std::move(question)) {}
  std::vector<std::string> kernel_names() override { return {kernel_.info().name}; }
  KernelPlugin& plugin(const std::string& kernel) override;

 private:
  CallableKernel kernel_;
};

}  // namespace harness::callable
