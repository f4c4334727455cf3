#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/core/formula_catalog.h"
#include "harness/script/catalog/coverage.h"
#include "harness/script/contract/kernel.h"
#include "harness/script/plan/variant.h"

namespace harness::script {

/// What one point may take: bytes of its buffers, operations of its reference, and threads of a launch. Twice what the
/// timed size takes is always allowed where that is judged anyway and is small enough itself.
struct Affordable {
  double bytes = 0, operations = 0;
  std::int64_t threads = 0;
};

/// Makes it a point without a name of its own; golden arrays are of the workloads' shapes.
Problem unnamed(Problem problem);
Affordable affordable(const DeviceInfo& device, bool finalist);
bool fits(const Realized& point, const Affordable& most, const DeviceInfo& device);

/// A kernel's folder, read: its manifest, its variants in order of their numbers, and its mutants.
struct LoadedKernel : FormulaKernel {
  /// Throws Error(bad_input) for anything wrong in it, also for a variant file that is not named NN_name.lua.
  LoadedKernel(const std::filesystem::path& folder, const std::vector<std::filesystem::path>& include_dirs,
               const std::vector<std::string>& device_kinds);

  const KernelInfo& info() override { return info_; }
  Problem problem(const std::string& workload) override { return manifest.problem(workload); }
  Prior prior(const std::string& variant, const std::string& workload) override;
  VariantTexts variant_texts(const std::string& variant) override;
  KernelTexts texts() override;
  std::string unsupported_reason(const std::string& variant, const DeviceInfo& device) override;
  std::vector<std::string> inspect(const DeviceInfo& device) override;

  Space space(const std::string& variant, const std::string& workload, const DeviceInfo& device) override;
  bool has_configuration(const std::string& variant, const std::string& workload, const DeviceInfo& device) override;
  Config default_config(const std::string& variant, const std::string& workload, const DeviceInfo& device,
                        const Config& given) override;

  Realized realize(const Candidate& candidate, const std::string& workload, const DeviceInfo& device) override;
  std::vector<Realized> neighbours(const Candidate& candidate, const std::string& workload, const DeviceInfo& device,
                                   int count, std::uint64_t seed) override;
  std::vector<Realized> distant_points(const Candidate& candidate, const std::string& workload,
                                       const DeviceInfo& device, bool finalist, std::uint64_t seed) override;
  std::optional<Realized> tiny_at(const Candidate& candidate, const std::string& workload, const DeviceInfo& device,
                                  const Config& fixed, std::uint64_t seed) override;
  std::vector<Realized> along(const Candidate& candidate, const std::string& workload, const DeviceInfo& device,
                              const std::string& size) override;
  double valid_share(const Candidate& candidate, const std::string& workload, const DeviceInfo& device,
                     std::uint64_t seed) override;
  std::map<std::string, SizeRange> size_ranges(const std::string& workload) override;
  std::optional<Realized> smaller(const Candidate& candidate, const std::string& workload, const DeviceInfo& device,
                                  double bytes, std::int64_t elements) override;

  void use_source(const std::string& variant, const std::string& text) override;
  void add_variant(const NewVariant& made) override;
  std::string add_shape(const std::string& text, const DeviceInfo& device) override;

  std::string admission_hash() override;
  AdmissionParts admitted(const std::string& device_key) override;
  void keep_admitted(const std::string& device_key, const AdmissionParts& parts) override;

  std::vector<FieldLimits> fields() override;
  FormulaPlan formulas(const Candidate& candidate, const Workload& point, const DeviceInfo& device) override;
  std::optional<Realized> at_point(const Candidate& candidate, const Workload& point,
                                   const DeviceInfo& device) override;
  Workload random_point(const Workload& base, std::uint64_t seed) override;
  std::optional<AdoptedFrom> adopted() override { return manifest.adopted(); }
  std::string folder() override { return manifest.folder().string(); }
  bool has_models() override { return manifest.has_models(); }
  std::vector<ModelShape> model_shapes(const Model& model, const ModelQuestion& question) override {
    return manifest.model_shapes(model, question);
  }

  /// A variant or a mutant. Throws Error with the nearest known name.
  VariantManifest& variant(const std::string& name);
  /// Of its contracts and its baseline alone: mutants may be missing where it is installed.
  std::string baseline_hash() const;
  std::string first_kernel_hash() const;

  KernelManifest manifest;
  std::vector<std::unique_ptr<VariantManifest>> variants, mutants;
  std::vector<std::unique_ptr<VariantManifest>> proposed;  // stand in no file

 private:
  void refuse_changed_original();
  KernelInfo info_;
  std::vector<std::filesystem::path> include_dirs_;
  std::vector<std::string> device_kinds_;
  Workload unlike(const Coverage& coverage, Workload point, const std::set<std::string>& kept);
  std::optional<Problem> halved_problem(const Workload& point, double below_bytes, std::int64_t elements);
  std::optional<Problem> small_problem(const Workload& point);
  std::vector<Realized> affordable_along(const Candidate& candidate, const Workload& base, const DeviceInfo& device,
                                         const std::string& size, const std::set<std::int64_t>& values);
  std::optional<Realized> point_of_its_build(VariantManifest& chosen, const Realized& timed, const Workload& point,
                                             const DeviceInfo& device);
  std::vector<Realized> edges(VariantManifest& chosen, const Realized& timed, const DeviceInfo& device,
                              const std::set<std::string>& kept, const std::function<std::uint64_t()>& next);
  std::set<std::string> fields_of_build(VariantManifest& chosen, const Realized& timed, const DeviceInfo& device);
  std::optional<Realized> affordable_beyond(VariantManifest& chosen, const Realized& timed, const std::string& size,
                                            Workload point, const DeviceInfo& device, const Affordable& most);
  Realized realize_on(VariantManifest& chosen, const Candidate& candidate, Problem problem, const DeviceInfo& device);
};

/// A path for messages: relative to the current folder where it is inside it.
std::string shown_path(const std::filesystem::path& path);

}  // namespace harness::script
