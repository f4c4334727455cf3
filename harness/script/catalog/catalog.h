#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/formula_catalog.h"

namespace harness::script {

struct LoadedKernel;

/// The plugin folders. A kernel is read when it is first used and then kept: a broken one fails when it is used and
/// stops no other. Not thread-safe.
class LuaCatalog : public FormulaCatalog {
 public:
  /// Each of `kernel_folders` holds one folder a kernel; `include_dirs` (kernels/include) are what every device source
  /// may include from. `device_kinds` are those that manifests may name; of none given any name will do. Throws
  /// Error(bad_input) for a folder that is not there and for a kernel that is in two of them.
  LuaCatalog(const std::vector<std::filesystem::path>& kernel_folders, std::vector<std::filesystem::path> include_dirs,
             std::vector<std::string> device_kinds = {});
  ~LuaCatalog() override;

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
  std::string add_shape(const std::string& kernel, const std::string& text, const DeviceInfo& device) override;
  void use_source(const std::string& kernel, const std::string& variant, const std::string& text) override;
  void add_variant(const NewVariant& made) override;
  VariantTexts variant_texts(const std::string& kernel, const std::string& variant) override;
  KernelTexts kernel_texts(const std::string& kernel) override;
  Realized realize(const Candidate& candidate, const std::string& workload, const DeviceInfo& device) override;
  std::vector<Realized> distant_points(const Candidate& candidate, const std::string& workload,
                                       const DeviceInfo& device, bool finalist, std::uint64_t seed) override;
  std::vector<Realized> neighbours(const Candidate& candidate, const std::string& workload, const DeviceInfo& device,
                                   int count, std::uint64_t seed) override;
  std::optional<Realized> smaller(const Candidate& candidate, const std::string& workload, const DeviceInfo& device,
                                  double bytes, std::int64_t elements) override;
  std::string admission_hash(const std::string& kernel) override;
  AdmissionParts admitted(const std::string& kernel, const std::string& device_key) override;
  void keep_admitted(const std::string& kernel, const std::string& device_key, const AdmissionParts& parts) override;
  std::string unsupported_reason(const std::string& kernel, const std::string& variant,
                                 const DeviceInfo& device) override;
  std::vector<std::string> inspect(const std::string& kernel, const DeviceInfo& device) override;

  std::vector<FieldLimits> fields(const std::string& kernel) override;
  FormulaPlan formulas(const Candidate& candidate, const Workload& point, const DeviceInfo& device) override;
  std::optional<Realized> at_point(const Candidate& candidate, const Workload& point,
                                   const DeviceInfo& device) override;
  Workload random_point(const std::string& kernel, const Workload& base, std::uint64_t seed) override;
  std::optional<AdoptedFrom> adopted(const std::string& kernel) override;
  std::string folder(const std::string& kernel) override;

 private:
  LoadedKernel& load(const std::string& name);

  std::map<std::string, std::filesystem::path> folders_;  // kernel name -> its folder
  std::vector<std::filesystem::path> include_dirs_;
  std::vector<std::string> device_kinds_;
  std::map<std::string, std::unique_ptr<LoadedKernel>> loaded_;
};

}  // namespace harness::script
