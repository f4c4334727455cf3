#pragma once
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/core/catalog.h"
#include "harness/script/contract/manifest_reader.h"
#include "harness/script/contract/sources.h"

namespace harness::script {

/// The builder that compiles CUDA C++ as the toolkit's own compiler does.
inline constexpr std::string_view kNvcc = "nvcc";

/// Number NN_name of a variant file, without its extension; "" if the name is not of that form.
std::string variant_name(const std::filesystem::path& file);

/// The facts Lua sees as `device`: numbers and texts of a DeviceInfo, and its `kind`, "cuda".
std::map<std::string, Value> device_values(const DeviceInfo& device);

/// A variants/NN_name.lua and the NN_name.cu beside it. Source and hash are read once: a campaign measures what was
/// there when it began.
class VariantManifest {
 public:
  /// `shown` is the manifest's path in messages, `source_name` the .cu's in diagnostics of compilers, `device_kinds`
  /// what it may require.
  VariantManifest(const std::filesystem::path& file, const std::string& shown, std::string source_name,
                  std::vector<std::filesystem::path> include_dirs, const std::vector<std::string>& device_kinds);

  /// One that stands in no file: it has its parent's place in the folders, and its own texts. `stages` it has none.
  VariantManifest(const VariantManifest& parent, const NewVariant& made, const std::vector<std::string>& device_kinds);

  const VariantInfo& info() const { return info_; }
  /// The manifest's text and the device source with the headers of `folder`, the plugin's own.
  VariantTexts texts(const std::filesystem::path& folder) const;
  /// Compiler options as they are written, with $NAME.
  const std::vector<std::string>& options() const { return options_; }
  Manifest& manifest() { return manifest_; }
  Reader reader() const { return {manifest_, manifest_.root(), "variant"}; }
  const Parameter& parameter(const std::string& name) const;
  /// The value as its parameter lists it. Throws Error(bad_input) for another one, with the list.
  const Value& listed_value(const std::string& parameter, const Value& given) const;

  /// The workload sizes, device facts and parameters that `$NAME` may stand for.
  std::map<std::string, Value> names(const Config& config, const Workload& workload) const;
  /// The compile unit of `config`; `entries` are its plan's.
  BuildSpec build(const Config& config, const Workload& workload, std::vector<std::string> entries) const;
  /// Whether whoever builds it says how many threads a block has.
  bool builder_sets_blocks() const { return !info_.builder.empty() && info_.builder != kNvcc; }
  /// The compile unit of the launches that compute what the stages should hand on; for variants that declare `stages`.
  BuildSpec stages_build(std::vector<std::string> entries) const;
  /// Some parameters' values each: what its author would try first on this workload, the favourite first.
  std::vector<Config> starts(const Workload& workload);
  bool has_starts() const { return starts_by_workload_ || !starts_.empty(); }
  /// `estimate`, of this workload where it is a function.
  Prior prior(const Workload& workload);
  std::string unsupported_reason(const DeviceInfo& device) const;
  /// From now on `text` stands in the place of the .cu: what it includes is found as from there.
  void use_source(const std::string& text);
  /// The .cu, that of its stages, and the headers they include that lie in `folder`, the plugin's own.
  std::vector<SourceFile> sources_inside(const std::filesystem::path& folder) const;

 private:
  void read(const std::vector<std::string>& device_kinds);
  void read_parameters(const Reader& variant);
  std::set<std::string> defined_names() const;  // the macros that each build defines
  std::vector<Config> read_starts(const Node& list);
  void read_estimate(const Reader& variant);
  void read_requirements(const Reader& variant, const std::vector<std::string>& device_kinds);
  void read_options(const Reader& variant);
  void read_builder(const Reader& variant);
  /// The file beside the manifest that holds the source: NN_name.cu, or what its builder reads.
  std::string extension() const;

  std::string text_;  // of the manifest
  Manifest manifest_;
  VariantInfo info_;
  std::string source_name_;
  std::filesystem::path folder_;  // of the .cu
  SourceText source_, stages_;    // stages_: empty without `stages`
  std::vector<std::filesystem::path> include_dirs_;
  std::vector<std::string> options_;
  std::vector<Config> starts_;
  bool starts_by_workload_ = false;
};

}  // namespace harness::script
