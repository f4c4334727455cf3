#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/core/catalog.h"
#include "harness/core/model.h"

// A candidate's plan with expressions of the sizes in the place of numbers: what a launcher without harness is made of.
namespace harness {

/// A number, a truth value, {"size": "T"}, {"device": "max_shared_bytes"} or {OPERATION: [operands...]}, as launch
/// arithmetic has them: + - (of one operand, too) * / // % cdiv round_up select min max eq ne lt le divisible all_of
/// any_of none_of. Integers and floats are told apart as in Lua; integers wrap, // and % round down.
using Formula = json;

/// A tensor or scalar of the contract. `shape` and `strides` are in elements.
struct FormulaArgument {
  std::string name;
  ArgumentKind kind = ArgumentKind::input;  // input, output, inout or scalar
  Dtype dtype = Dtype::f32;
  std::vector<Formula> shape, strides;
  std::int64_t align = 0;        // bytes
  bool absent = false;           // passed as null
  std::string present;           // the flag that says whether it is there; "": it always is
  std::optional<Formula> value;  // of a scalar, where it is a formula of the sizes
};

struct FormulaPointer {
  std::string name;    // argument or workspace; "": a null pointer
  Formula offset = 0;  // bytes
};
struct FormulaScalar {
  Dtype dtype = Dtype::s32;
  Formula value;
};
struct FormulaTensorMap {
  std::string of;
  Dtype dtype = Dtype::f32;
  std::vector<Formula> shape, strides, box;  // elements, outermost first
  std::string swizzle, promotion;
};
using FormulaLaunchArgument = std::variant<FormulaPointer, FormulaScalar, FormulaTensorMap>;

struct FormulaLaunch {
  std::string entry;
  std::array<Formula, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  Formula shared = 0;
  bool cooperative = false, pdl = false;
  int resident = 0;
  std::vector<FormulaLaunchArgument> args;
};
struct FormulaMemset {
  std::string target;
  Formula offset = 0, bytes;
  int value = 0;
};
using FormulaStep = std::variant<FormulaLaunch, FormulaMemset>;

struct FormulaWorkspace {
  std::string name;
  Formula bytes;
  std::int64_t align = 256;
  bool zeroed = false;
};

/// A `__constant__` variable that is filled from an input before the steps.
struct FormulaConstant {
  std::string symbol, from;
  Formula bytes;
};

/// Holds for all sizes that agree with `fixed`.
struct FormulaPlan {
  /// Flags and types, which decide the way of a manifest's functions, and the sizes that its entries or options name
  /// as $NAME, which are compiled in.
  Config fixed;
  std::vector<FormulaArgument> arguments;
  std::vector<FormulaWorkspace> workspaces;
  std::vector<FormulaStep> steps;
  std::vector<FormulaConstant> constants;
  BuildSpec build;           // with the entries of the launches
  Formula valid = true;      // of the candidate's configuration
  Formula in_domain = true;  // the condition of the kernel's domain on all sizes together
};

/// What one field of a workload may be, by its kernel's domain.
struct FieldLimits {
  std::string name;
  bool listed = false;  // `values`, else whole numbers from lo to hi that are multiples of step
  std::int64_t lo = 0, hi = 0, step = 1;
  std::vector<Value> values;
  bool bounded = true;  // false: the domain does not name it
  Value example;        // of the kernel's first workload: its type is the field's
};

/// Where the original of an adopted kernel lies: `digest` is the SHA-256 of `file` when it was adopted.
struct AdoptedFrom {
  std::string file, entry, digest;
  std::string path;                  // from the plugin's folder, or absolute; "": it was not noted
  std::string original;              // SHA-256 of variants/00_original.cu as it was written; "": it was not noted
  std::vector<std::string> options;  // that say what the file means: "-D WIDTH=64", "--launch #2" (of the kernel's)
};

/// Port to one kernel that can also say how a candidate's numbers follow from the sizes.
class KernelFormulas {
 public:
  virtual ~KernelFormulas() = default;
  /// The fields of the kernel's workloads, by name.
  virtual std::vector<FieldLimits> fields() = 0;
  /// The candidate's plan around `point`, of which flags, types and the sizes in `fixed` count. Throws
  /// Error(bad_input), one sentence, for what no formula says and for what a package does not launch: library steps,
  /// views, structures.
  virtual FormulaPlan formulas(const Candidate& candidate, const Workload& point, const DeviceInfo& device) = 0;
  /// The candidate's own numbers at any point of the domain; nullopt where its configuration is not valid. Neither
  /// reference nor work model is computed.
  virtual std::optional<Realized> at_point(const Candidate& candidate, const Workload& point,
                                           const DeviceInfo& device) = 0;
  /// A point of the domain: `base` with every field that the domain names drawn anew.
  virtual Workload random_point(const Workload& base, std::uint64_t seed) = 0;
  /// Nothing: the kernel was not adopted from a file.
  virtual std::optional<AdoptedFrom> adopted() = 0;
  /// The plugin's folder.
  virtual std::string folder() = 0;
  /// Whether the kernel says which sizes it has in a model.
  virtual bool has_models() { return false; }
  /// The shapes that the kernel has there, each with the calls that one pass through the model makes of it as its
  /// weight; empty: it has none in this phase. Throws Error(bad_input) where its manifest does not say.
  virtual std::vector<ModelShape> model_shapes(const Model& model, const ModelQuestion& question) = 0;
};

class FormulaKernel : public KernelPlugin, public KernelFormulas {};

/// A catalog whose kernels know their formulas.
class FormulaCatalog : public Catalog {
 public:
  FormulaKernel& plugin(const std::string& kernel) override = 0;
};

}  // namespace harness
