#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/accuracy.h"
#include "harness/core/dtype.h"
#include "harness/core/enum_text.h"
#include "harness/core/json.h"
#include "harness/core/value.h"

// A kernel's contract *instantiated on one workload*: every shape, stride and count is a number. kernel.lua is the
// source; script/ makes these values; judge/, worker/ and the devices read nothing else.
namespace harness {

struct Workload {
  std::string name;
  std::vector<std::string> sets;        // "default", "seeds", ...
  std::vector<std::string> devices;     // "cpu", "cuda": where timing it is sensible
  std::map<std::string, Value> values;  // sizes, dtype, flags: T = 64, dtype = "bf16", causal = true
  double weight = 1.0;                  // in the campaign's geometric mean
  bool declared = true;                 // by the kernel; else a shape that somebody asked for, named by its values
};

enum class ArgumentKind { input, output, inout, scalar, structure, view, pointers, tensor_map, workspace };

/// How an input is drawn: `kind` is one of core/generators.h; `options` are its numbers (resolved), texts, and names of
/// arguments it depends on. Part of the workload's identity.
struct Generator {
  std::string kind;
  json options = json::object();
};

/// How an output is judged: relative (L2), ulp, exact, quantized, set or custom.
struct Compare {
  std::string kind;
  double tolerance = 0;  // relative: relative L2 error; ulp: units; quantized: fraction of elements off by a step
  json options = json::object();  // quantized {scale, steps}; set {indices}; custom {source, entry}
};

/// A field of a by-value struct argument, at `offset` bytes.
struct Field {
  std::string name;
  Dtype dtype = Dtype::f32;
  Value value;
  std::int64_t offset = 0;
};

/// One argument of the kernel's signature. Tensors: `shape` and `strides` in elements, outermost first; storage spans
/// 1 + sum((shape-1)*stride) elements. Padding inside that span is poisoned and must stay untouched in outputs.
/// Which values callers pass in a floating input: from lo to hi, and what else. Every draw keeps to it, and its ends
/// are among what is drawn (judge/forms.h).
struct ValueDomain {
  double lo = 0, hi = 0;
  bool infinities = false, nan = false, denormals = false;
  bool ties = false, sorted = false;  // many elements of one value; rows that rise or fall
};

struct Argument {
  std::string name;
  ArgumentKind kind = ArgumentKind::input;
  Dtype dtype = Dtype::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  std::int64_t align = 0;             // the pointer handed over is aligned to exactly this many bytes
  std::optional<Generator> gen;       // input, inout
  std::optional<Compare> compare;     // output, inout
  std::optional<Accuracy> accuracy;   // output, inout: the declared model of an honest error
  std::optional<Value> value;         // scalar
  std::vector<Field> fields;          // structure
  std::int64_t struct_bytes = 0;      // structure: sizeof, padding included
  std::string of;                     // view, pointers, tensor_map: the tensor it refers to
  std::int64_t offset = 0;            // view: first element within `of`; strides may differ from `of`'s
  std::vector<std::int64_t> offsets;  // pointers: element offset of each pointer within `of`
  json map = json::object();          // tensor_map: box, swizzle, promotion
  bool absent = false;                // optional argument that this workload passes as null
  std::string valid_rows;             // ragged output: an s32 input whose value n[i] says that rows j < n[i] of
                                      // shape[1] are defined for shape[0] = i; what lies outside is `outside`
  std::string outside = "untouched";  // untouched (poison must survive) or anything
  std::optional<ValueDomain> values;  // input, inout: where the contract says
};

/// A launch of a reference behind its first one.
struct ReferenceLaunch {
  std::string entry;
  std::vector<std::int64_t> grid, block;
  std::int64_t shared = 0;
};

/// Memory that one launch of a reference hands to the next.
struct ReferenceScratch {
  std::string name;
  std::int64_t bytes = 0;
  bool zeroed = false;
};

/// A `__constant__` variable of device code, by its name there ("ns::table"), and the argument whose bytes it holds
/// while a plan runs: an input that is stored without gaps, a scalar or a structure.
struct ConstantTable {
  std::string symbol, from;
  friend bool operator==(const ConstantTable&, const ConstantTable&) = default;
};

/// The trusted implementation, launched with one thread for each independent piece of work (`threads`), on whichever
/// device the judge has. Signature: for each argument in the order of the contract a pointer or a scalar
///   input: const T*    output: double* (floating types) or T* (integers)    inout: const T* then double* or T*
///   scalar: T          structure: by value    view/pointers/tensor_map: not passed    absent: a null pointer
/// then each name in `sizes` as long long. Threads past `threads` must do nothing (blocks are 128 wide, 1-D).
struct Reference {
  /// In which numbers it computes, for what was adopted from elsewhere and keeps the signature of its original: one
  /// pointer an argument, an inout's holding what was drawn.
  ///   exact: as above   wide: floating inputs and outputs are double*   own: every argument has its stored type
  enum class Numbers { exact, wide, own };
  std::string source;  // absolute path
  std::string entry;   // name expression, $-names filled in: "reference<__nv_bfloat16>"
  std::vector<std::string> sizes;
  std::vector<std::int64_t> size_values;
  std::int64_t threads = 0;
  std::vector<std::string> golden;  // directories of .npy files, optional
  Numbers numbers = Numbers::exact;
  /// Of a reference that works in blocks of its own shape, one to three numbers each; else empty, and `threads` counts.
  std::vector<std::int64_t> grid, block;
  std::int64_t shared = 0;  // dynamic shared memory, bytes
  /// Of a reference in several launches, each with the same arguments: pointers to scratch stand behind the sizes.
  std::vector<ReferenceLaunch> further;
  std::vector<ReferenceScratch> scratch;
  /// Arguments that its source reads as `__constant__` variables: they are filled, and no parameters.
  std::vector<ConstantTable> constants;
  /// The text when the contract was read, and what it included (BuildSpec::included).
  std::string digest;
  std::vector<std::pair<std::string, std::string>> included;
  std::string weak;  // why it proves less than a reference that was written for the contract; "" where it does
};
using ReferenceNumbers = Reference::Numbers;
/// "weak: the original itself, so equal to the original is not shown to be right"; "" for a full reference.
std::string in_words(const Reference& reference);

/// A lower bound of the work: what no implementation can avoid. bytes of compulsory DRAM traffic, floating-point
/// operations by unit dtype ("bf16": tensor rate, "f32": CUDA-core rate), exponentials.
struct Work {
  double bytes = 0;
  std::map<std::string, double> flops;
  double exps = 0;
  /// An estimate of how often loops turn where no array says it (the n k d distances of n points to k centres). It is
  /// part of amount_of() alone: shapes are chosen by it, and no floor follows from it.
  double turns = 0;
  /// Trips that no call can avoid beyond its first one to memory, each of which needs what the one before brought: 1
  /// where a table says which rows are read. Part of limit_ns() alone.
  double dependent = 0;
};

/// One number for "how much there is to do": bytes and operations alike. For choosing among shapes, not for floors.
double amount_of(const Work& work);

/// Hostile forms of the inputs that the contract leaves out, with the reason: "E[x^2] - E[x]^2 by contract".
struct ExcludedForms {
  std::vector<std::string> except;
  std::string because;
};
/// "not tried, by contract: shifted (E[x^2] - E[x]^2)"; "" where nothing is left out.
std::string in_words(const ExcludedForms& forms);

struct Problem {
  std::string kernel;
  std::string contract_hash;  // arguments, generators, reference, tolerances, work model, version of the gates
  Workload workload;
  std::vector<Argument> arguments;
  Reference reference;
  Work work;
  bool deterministic = true;
  /// Sizes of the workload over which a row's bits must not depend on the other rows.
  std::vector<std::string> batch_invariant;
  ExcludedForms forms;
  std::map<std::string, std::string> policy;  // what an honest variant may use, with the reason
  /// Comparisons that no input of the domain turns: a piece of their line, and the reason. How closely a candidate is
  /// looked at is no part of what it computes: the contract's hash does not follow from it.
  std::map<std::string, std::string> accept;
};
/// In elements, outermost first, the last dimension densest. An extent of 0 counts as 1.
std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& shape);
/// Of the written argument that has the fewest.
std::int64_t fewest_output_elements(const Problem& problem);
/// Of all written arguments together.
std::int64_t written_bytes(const Problem& problem);

const Argument* find_argument(const Problem& problem, const std::string& name);
bool is_tensor(ArgumentKind kind);   // input, output or inout
bool is_written(ArgumentKind kind);  // output or inout
std::int64_t span_elements(
    const Argument& a);  // elements between the first and the last, inclusive; 0 if any extent is 0
std::int64_t count_elements(const Argument& a);  // product of the shape

/// What is declared; else the sum is taken to be as long as the operations or the inputs for one element of the output,
/// and, where an element takes more than one operation, as the longest row of an input; added in f32 (f64: f64).
Accuracy accuracy_of(const Problem& problem, const Argument& output);

HARNESS_ENUM_TEXT(ArgumentKind);
HARNESS_ENUM_TEXT(ReferenceNumbers);
void to_json(json& to, const Workload& value);
void from_json(const json& from, Workload& value);
void to_json(json& to, const Generator& value);
void from_json(const json& from, Generator& value);
void to_json(json& to, const Compare& value);
void from_json(const json& from, Compare& value);
void to_json(json& to, const Field& value);
void from_json(const json& from, Field& value);
void to_json(json& to, const Argument& value);
void from_json(const json& from, Argument& value);
void to_json(json& to, const ReferenceLaunch& value);
void from_json(const json& from, ReferenceLaunch& value);
void to_json(json& to, const ReferenceScratch& value);
void from_json(const json& from, ReferenceScratch& value);
void to_json(json& to, const ConstantTable& value);
void from_json(const json& from, ConstantTable& value);
void to_json(json& to, const Reference& value);
void from_json(const json& from, Reference& value);
void to_json(json& to, const Work& value);
void from_json(const json& from, Work& value);
void to_json(json& to, const ExcludedForms& value);
void from_json(const json& from, ExcludedForms& value);
void to_json(json& to, const Problem& value);
void from_json(const json& from, Problem& value);

}  // namespace harness
