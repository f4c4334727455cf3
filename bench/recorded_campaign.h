#pragma once
#include <string>
#include <vector>

#include "harness/core/catalog.h"
#include "harness/replay/recording.h"
#include "harness/simulate/recorded_space.h"

// Recorded spaces as a campaign that no strategy has led: what every arm would have done is known. A space is a
// workload of the kernel, a technique is what some of its parameters say, and the record holds every configuration.
namespace harness::bench {

/// "KERNEL:PARAMETER,PARAMETER=FILE,FILE": these files are the workloads of a kernel, and these parameters are its
/// techniques.
struct SpaceSet {
  std::string kernel;
  std::vector<std::string> splits, files;
};
SpaceSet space_set(const std::string& text);

/// The kernels as a campaign's catalog: it describes arms and builds nothing.
class SpacesCatalog : public Catalog {
 public:
  explicit SpacesCatalog(const std::vector<SpaceSet>& sets);
  std::vector<std::string> kernel_names() override;
  const KernelInfo& kernel(const std::string& name) override;
  Problem problem(const std::string& kernel, const std::string& workload) override;
  Prior prior(const std::string& kernel, const std::string& variant, const std::string& workload) override;
  Space space(const std::string& kernel, const std::string& variant, const std::string& workload,
              const DeviceInfo& device) override;
  bool has_configuration(const std::string& kernel, const std::string& variant, const std::string& workload,
                         const DeviceInfo& device) override;
  Config default_config(const std::string& kernel, const std::string& variant, const std::string& workload,
                        const DeviceInfo& device, const Config& given) override;
  Realized realize(const Candidate& candidate, const std::string& workload, const DeviceInfo& device) override;
  std::vector<Realized> neighbours(const Candidate&, const std::string&, const DeviceInfo&, int,
                                   std::uint64_t) override {
    return {};
  }
  std::string admission_hash(const std::string& kernel) override { return kernel; }
  std::string unsupported_reason(const std::string&, const std::string&, const DeviceInfo&) override { return ""; }
  std::vector<std::string> inspect(const std::string&, const DeviceInfo&) override { return {}; }

  /// A campaign that evaluated all: each workload's baseline, then every point. It has a budget of `budget_s`.
  Recording recording(double budget_s) const;

 private:
  struct Part {
    std::string kernel, variant, technique, workload;
    Space space;
    std::vector<simulate::Record> records;  // of its points
  };
  const Part* find(const std::string& kernel, const std::string& variant, const std::string& workload) const;
  void add(const SpaceSet& set, const simulate::RecordedSpace& recorded);
  void add_baseline(const std::string& kernel, const std::string& workload, const simulate::RecordedSpace& recorded);
  std::vector<KernelInfo> kernels_;
  std::vector<Part> parts_;
};

}  // namespace harness::bench
