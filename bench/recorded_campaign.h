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

/// A workload's configurations of one technique, and what was recorded of them.
struct SpacePart {
  std::string kernel, variant, technique, workload;
  Space space;
  std::vector<simulate::Record> records;  // of its points
};

/// A kernel as a campaign sees it: it describes arms and builds nothing.
class SpacesKernel : public KernelPlugin {
 public:
  const KernelInfo& info() override { return description; }
  Problem problem(const std::string& workload) override;
  Prior prior(const std::string& variant, const std::string& workload) override;
  Space space(const std::string& variant, const std::string& workload, const DeviceInfo& device) override;
  bool has_configuration(const std::string& variant, const std::string& workload, const DeviceInfo& device) override;
  Config default_config(const std::string& variant, const std::string& workload, const DeviceInfo& device,
                        const Config& given) override;
  Realized realize(const Candidate& candidate, const std::string& workload, const DeviceInfo& device) override;
  std::string admission_hash() override { return description.name; }
  std::string unsupported_reason(const std::string&, const DeviceInfo&) override { return ""; }

  void add(const SpaceSet& set, const simulate::RecordedSpace& recorded);
  void add_baseline(const std::string& workload, const simulate::RecordedSpace& recorded);
  KernelInfo description;
  std::vector<SpacePart> parts;

 private:
  const SpacePart* find(const std::string& variant, const std::string& workload) const;
};

/// The kernels as a campaign's catalog.
class SpacesCatalog : public Catalog {
 public:
  explicit SpacesCatalog(const std::vector<SpaceSet>& sets);
  std::vector<std::string> kernel_names() override;
  KernelPlugin& plugin(const std::string& kernel) override;

  /// A campaign that evaluated all: each workload's baseline, then every point. It has a budget of `budget_s`.
  Recording recording(double budget_s);

 private:
  std::vector<SpacesKernel> kernels_;
};

}  // namespace harness::bench
