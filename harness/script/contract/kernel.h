#pragma once
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/core/contract.h"
#include "harness/core/formula_catalog.h"
#include "harness/core/model.h"
#include "harness/script/contract/domain.h"
#include "harness/script/contract/manifest.h"
#include "harness/script/contract/sources.h"

namespace harness::script {

/// A kernel.lua, read and checked: its arguments and work model are tried on every workload when it is made.
class KernelManifest {
 public:
  /// `folder` is the kernel's own; `shown` its path in messages. `include_dirs` are what its reference may include
  /// from besides the folder; `device_kinds` what a workload's `devices` may name.
  KernelManifest(std::filesystem::path folder, const std::string& shown,
                 std::vector<std::filesystem::path> include_dirs, std::vector<std::string> device_kinds);

  const std::string& name() const { return name_; }
  const std::string& summary() const { return summary_; }
  const std::optional<AdoptedFrom>& adopted() const { return adopted_; }
  const std::string& file() const { return manifest_.file(); }
  const std::filesystem::path& folder() const { return folder_; }
  const std::vector<Workload>& workloads() const { return workloads_; }
  const Domain& domain() const { return domain_; }
  /// The file itself, for tracing its functions.
  Manifest& script() { return manifest_; }

  const Workload& workload(const std::string& name) const;
  const Problem& problem(const std::string& workload) const;
  /// A workload of its own for the point that is `base` but for what `text` gives: "Sq=3000 causal=true", perhaps with
  /// "weight=80"; one that is there keeps its weight unless another is given. Throws Error
  /// for an unknown field, a value outside the domain, and types that no declared workload has: the gates know no
  /// tolerance for these.
  Workload add_shape(const Workload& base, const std::string& text);
  /// Whether its manifest says which sizes it has in a model.
  bool has_models() const;
  /// KernelFormulas::model_shapes
  std::vector<ModelShape> model_shapes(const Model& model, const ModelQuestion& question);
  /// A point of the domain chosen by `seed`: `base` with every field that the domain names drawn anew.
  Workload random_workload(const Workload& base, std::uint64_t seed);
  /// The points in which one whole-numbered size is half of what it is here, the largest size first.
  std::vector<Workload> halved(const Workload& point);
  /// A point near nothing that is timed: numbers and flags of `base` that the domain names are drawn anew, some up to
  /// `largest`, the others small; texts (types) and the fields in `kept` stay. `base` itself where `where` refuses
  /// every try.
  Workload random_neighbour(const Workload& base, std::uint64_t seed, std::int64_t largest,
                            const std::set<std::string>& kept = {});
  /// Anywhere in the domain: numbers and flags drawn anew, every magnitude equally likely up to the domain's end.
  Workload spread_neighbour(const Workload& base, std::uint64_t seed, const std::set<std::string>& kept = {});
  /// A tiny point with these values; nullopt where the domain allows none of so many that are drawn.
  std::optional<Workload> tiny_with(const Workload& base, const Config& fixed, std::uint64_t seed,
                                    const std::set<std::string>& kept, int tries);
  /// The least value that the domain allows a size of `sizes_of`.
  std::int64_t least(const std::string& size) const { return domain_.fields.at(size).lo; }
  /// Its domain, a range.
  const FieldDomain& range(const std::string& size) const { return domain_.fields.at(size); }
  /// The points like this one in which two sizes are exchanged, or one flag is turned that is not `kept`.
  std::vector<Workload> exchanged(const Workload& point, const std::set<std::string>& kept);
  /// The whole-numbered sizes of `base` that the domain gives a range.
  std::vector<std::string> sizes_of(const Workload& base) const;
  /// The flags of `base` that the domain leaves open.
  std::vector<std::string> flags_of(const Workload& base) const;
  /// By the name of each flag, and of each number that the domain lists: the points that have another of its values,
  /// and else are `base`.
  std::map<std::string, std::vector<Workload>> with_other_values(const Workload& base);
  /// `size` of `base` moved by little: by an odd amount, or to a multiple of a tile (16 to 1024) or the value beside
  /// it. `beyond`: it grows, by up to its own length. nullopt: the domain allows no such point.
  std::optional<Workload> near_neighbour(const Workload& base, const std::string& size, std::uint64_t seed,
                                         bool beyond);
  /// Whether it lies in the domain.
  bool allows(const Workload& point);
  /// The problem on any point of the domain. Its reference must exist; the work model must be positive.
  Problem make_problem(const Workload& workload);
  /// Of that its arguments alone: without reference, work model and identity.
  Problem bare_problem(const Workload& workload);

 private:
  void read_properties(const Reader& kernel);
  void read_workloads(const Reader& kernel);
  Workload read_workload(const Node& node, std::size_t position) const;
  static Reference read_program(const Reader& reader, Reference reference);
  Reference read_reference(const Reader& kernel, const Workload& workload, const std::vector<Argument>& arguments);
  std::vector<std::string> golden_of(const Reader& reference, const Workload& workload) const;
  Work read_work(const Reader& kernel, const Workload& workload);
  std::string contract_hash(const Problem& problem);
  /// As it was when this first asked: a text that is edited later is none of this contract's.
  const SourceText& reference_text(const std::string& source);

  std::filesystem::path folder_;
  std::vector<std::filesystem::path> include_dirs_;
  std::vector<std::string> device_kinds_;
  Manifest manifest_;
  std::string name_, summary_;
  Domain domain_;
  std::vector<Workload> workloads_;
  std::vector<std::string> batch_invariant_;
  ExcludedForms forms_;
  std::optional<AdoptedFrom> adopted_;
  std::map<std::string, std::string> policy_, accept_;
  std::map<std::string, Problem> problems_;
  std::map<std::string, SourceText> references_;  // by path
};

}  // namespace harness::script
