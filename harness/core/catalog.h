#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/admission.h"
#include "harness/core/contract.h"
#include "harness/core/device.h"
#include "harness/core/plan.h"
#include "harness/core/value.h"

namespace harness {

/// kernel + variant + configuration: what is evaluated on a workload.
struct Candidate {
  std::string kernel, variant, technique;
  Config config;
};

/// What a variant's manifest expects of it, before anything was measured. Minutes are never written in a manifest.
struct Prior {
  double speedup_lo = 1, speedup_hi = 1;  // over the kernel's baseline
  double probability = 0.8;               // that it passes the gates
  int evaluations = 20;                   // to find its good configurations
};

struct Parameter {
  std::string name;
  std::vector<Value> values;
  std::string bind;  // define, template, launch, scalar
};

struct VariantInfo {
  std::string name, technique, risk;  // risk: low, medium, high
  bool multi_kernel = false;
  bool rival = false;  // others' work that is only measured beside ours: never an arm, an incumbent or a winner
  Prior prior;         // what its author expects; where that depends on the workload, what Catalog::prior says
  bool prior_by_workload = false;
  std::vector<Parameter> parameters;     // in order of the manifest's sorted names
  json requirements = json::object();    // {"arch": ">=80"}
  std::string file;                      // the manifest, for messages
  std::string builder;                   // who compiles it (BuildSpec::builder); "" for the device's own compiler
  std::string source_hash;               // of the .cu and everything it includes from the plugin folders
  std::optional<std::int64_t> proposal;  // stands in no file: the number of the proposal that it is
};

/// A variant that stands in no file: a text over a known one.
struct NewVariant {
  std::string kernel, name;
  std::string parent;            // the variant whose place in the folders it has: what it includes is found from there
  std::string source, manifest;  // whole texts
  std::int64_t proposal = 0;     // its number
};

/// What a variant is made of, for whoever is to write another: texts.
struct VariantTexts {
  std::string manifest, source;
  std::vector<std::pair<std::string, std::string>> headers;  // of the plugin, that it includes: name and text
};

/// What a kernel is, in words and code.
struct KernelTexts {
  std::string reference;  // the source of its reference
  std::string domain;     // of its manifest, as it is written there: which sizes and types it must be right for
  std::vector<std::pair<std::string, std::string>> wrappers;  // what any source may include <...>: name and what it is;
                                                              // of a short one its text
};

struct KernelInfo {
  std::string name, summary, file;
  std::vector<Workload> workloads;
  std::vector<VariantInfo> variants;  // ascending by number; the first is the baseline
  std::vector<VariantInfo> mutants;   // wrong on purpose: the gates must refuse each (the folder mutants/)
};

/// Of this name, among those that may be evaluated; null where there is none.
const VariantInfo* find_variant(const KernelInfo& kernel, const std::string& name);

/// Answers for a space that is too large to list. It must not outlive the Catalog that it came from. Both throw
/// Error(bad_input) when the constraint fails.
class SpaceOracle {
 public:
  virtual ~SpaceOracle() = default;
  virtual bool allows(const std::vector<std::uint16_t>& point) = 0;
  /// Some allowed point, not uniform; `below(n)` draws from 0 to n - 1.
  virtual std::optional<std::vector<std::uint16_t>> draw(const std::function<std::uint64_t(std::uint64_t)>& below) = 0;
};

/// The configurations of one variant that its constraint allows on a workload and device: points[i][p] is an index into
/// parameters[p].values.
struct Space {
  std::vector<Parameter> parameters;
  std::vector<std::vector<std::uint16_t>> points;
  std::size_t start = 0;                  // the point to begin with
  bool authored = false;                  // `start` is what the author would try first; else nobody has said
  std::vector<std::size_t> later_starts;  // what the author would try after it, in order
  std::shared_ptr<SpaceOracle> rest;      // set: too large to list; `points` are then a few of it, the first one first
  bool listed() const { return rest == nullptr; }
};
Config configuration(const Space& space, std::size_t point);

/// Index of a value in the parameter's list; its size where the value is not listed.
std::size_t place_of(const Parameter& parameter, const Value& value);

/// Timing it on this kind of device is sensible (its `devices`; everywhere if it names none).
bool is_sensible_on(const Workload& workload, const DeviceInfo& device);

/// A device source of a plugin, as it is shown to people.
struct SourceFile {
  std::string name, text;
};

/// A part of a plan that can be tried alone: the steps up to `end` that follow those of the part before, and a launch
/// that computes slowly and plainly what they hand on. It tells where a wrong answer begins and decides nothing.
struct Stage {
  std::string name;
  std::size_t end = 0;                   // steps of the plan up to and with its last one
  Launch reference;                      // an entry of Stages::build; what it leaves unwritten is not compared
  std::map<std::string, Dtype> results;  // workspaces that are compared, with the type of their elements
  double tolerance = 0;                  // relative L2
};
struct Stages {
  std::vector<Stage> parts;  // in order; the steps after the last one are tried on its right results
  BuildSpec build;           // NN_name.stages.cu
};

/// A candidate on a workload made concrete for a device: everything an evaluation needs, as plain values.
struct Realized {
  Candidate candidate;
  Problem problem;
  Plan plan;
  BuildSpec build;
  std::string source_hash;
  std::vector<SourceFile> sources;  // the .cu and the headers it includes from its plugin; not the harness's
  Stages stages;                    // empty where the variant declares none
};

// Ports to one kernel's plugin (script/ reads its manifests), by who calls them. Every function throws Error(bad_input)
// with file, line and what to do when a manifest is wrong or a name is unknown (with the nearest known one).

/// What a kernel and its variants are.
class KernelDescription {
 public:
  virtual ~KernelDescription() = default;
  virtual const KernelInfo& info() = 0;
  virtual Problem problem(const std::string& workload) = 0;
  /// What the author of a variant expects of it on a workload, before anything is measured.
  virtual Prior prior(const std::string& variant, const std::string& workload) = 0;
  virtual VariantTexts variant_texts(const std::string& /*variant*/) { return {}; }
  virtual KernelTexts texts() { return {}; }
  /// "" if the variant can run there, else why not (requires.arch, shared memory...).
  virtual std::string unsupported_reason(const std::string& variant, const DeviceInfo& device) = 0;
  /// Problems of a manifest that only a closer look finds: untraceable launch arithmetic, impossible spaces, a work
  /// model that is not positive. Empty: none.
  virtual std::vector<std::string> inspect(const DeviceInfo& /*device*/) { return {}; }
};

/// The configurations that a variant has on a workload and device.
class ConfigurationSpaces {
 public:
  virtual ~ConfigurationSpaces() = default;
  /// Empty where the variant cannot do the workload.
  virtual Space space(const std::string& variant, const std::string& workload, const DeviceInfo& device) = 0;
  /// False where a variant cannot do a workload: its constraint leaves nothing. Such a variant has no arm there; a
  /// baseline must have a configuration everywhere.
  virtual bool has_configuration(const std::string& /*variant*/, const std::string& /*workload*/,
                                 const DeviceInfo& /*device*/) {
    return true;
  }
  /// The first valid configuration: what a baseline or `eval` without parameters runs. Given values override it; an
  /// unknown parameter or a value outside its list is an Error.
  virtual Config default_config(const std::string& variant, const std::string& workload, const DeviceInfo& device,
                                const Config& given) = 0;
};

struct SizeRange {
  std::int64_t lo = 0, hi = 0;
};

/// A candidate of the kernel with all numbers filled in: on a workload, and at other points of the domain, which the
/// gates need.
class CandidatePlans {
 public:
  virtual ~CandidatePlans() = default;
  virtual Realized realize(const Candidate& candidate, const std::string& workload, const DeviceInfo& device) = 0;
  /// The candidate at `count` other points of the domain, drawn by `seed`: sizes and flags anew, types as in the
  /// workload; small enough to be judged in milliseconds. Fewer, or none, where the variant is valid at few others.
  virtual std::vector<Realized> neighbours(const Candidate& /*candidate*/, const std::string& /*workload*/,
                                           const DeviceInfo& /*device*/, int /*count*/, std::uint64_t /*seed*/) {
    return {};
  }
  /// The candidate at points that are not small: about the timed size (an odd amount more or less, a tile's edge),
  /// beyond it, and anywhere up to the domain's end, as far as they can be judged: while searching in tenths of a
  /// second, for a finalist in some ten seconds each where the device is emulated. One of a finalist's has at least
  /// twice as many blocks as the device holds at once, where the domain has such a point; it also meets tiny points:
  /// each size at its least and beyond a byte, each choice of flags with sizes in either order, and each size at its
  /// most, at powers of two and at other multiples of them, with the others small. Fewer, or none, where nothing fits.
  virtual std::vector<Realized> distant_points(const Candidate& /*candidate*/, const std::string& /*workload*/,
                                               const DeviceInfo& /*device*/, bool /*finalist*/,
                                               std::uint64_t /*seed*/) {
    return {};
  }
  /// The candidate at a tiny point of the domain that has these values, drawn by `seed`; nothing: there is none that
  /// compiles to the same and can be judged in milliseconds.
  virtual std::optional<Realized> tiny_at(const Candidate& /*candidate*/, const std::string& /*workload*/,
                                          const DeviceInfo& /*device*/, const Config& /*fixed*/,
                                          std::uint64_t /*seed*/) {
    return std::nullopt;
  }
  /// The candidate at points that differ in `size` alone, which ascends from its least: about tiles' edges, at the
  /// timed value and at the most, as far as they can be judged in tenths of a second. The others are the workload's, or
  /// halved until some points can be. It may compile to something else there.
  virtual std::vector<Realized> along(const Candidate& /*candidate*/, const std::string& /*workload*/,
                                      const DeviceInfo& /*device*/, const std::string& /*size*/) {
    return {};
  }
  /// The share of points, drawn by `seed` all over the domain, on which the candidate is valid.
  virtual double valid_share(const Candidate& /*candidate*/, const std::string& /*workload*/,
                             const DeviceInfo& /*device*/, std::uint64_t /*seed*/) {
    return 1;
  }
  /// The sizes of the workload that the domain gives a range, and that: the least and the most.
  virtual std::map<std::string, SizeRange> size_ranges(const std::string& /*workload*/) { return {}; }
  /// The candidate at a smaller point like the workload: its sizes halved, the largest first, as long as every output
  /// keeps `elements` elements, until it moves at most `bytes`. nullopt where that cannot be reached.
  virtual std::optional<Realized> smaller(const Candidate& /*candidate*/, const std::string& /*workload*/,
                                          const DeviceInfo& /*device*/, double /*bytes*/, std::int64_t /*elements*/) {
    return std::nullopt;
  }
};

/// What stands in no file. A plugin that takes nothing of a kind refuses it.
class KernelEdits {
 public:
  virtual ~KernelEdits() = default;
  /// From now on `text` stands in the place of the variant's source. Files do not change.
  virtual void use_source(const std::string& variant, const std::string& text);
  /// From now on the kernel has this variant too, in the place of one of the same name that was added before. It is no
  /// file's, and not among the variants of mutants or baselines.
  virtual void add_variant(const NewVariant& variant);
  /// A shape that no workload of the kernel has, "B=4 Sq=3000 causal=true": from now on it is one of its workloads, in
  /// no set. What is not given is as in the kernel's first workload on this device. Returns its name, which holds all
  /// values: the same shape has the same name everywhere. Throws Error(bad_input) for what lies outside the domain.
  virtual std::string add_shape(const std::string& text, const DeviceInfo& device);
};

/// The trial of the kernel's gates that comes with its folder.
class CarriedAdmission {
 public:
  virtual ~CarriedAdmission() = default;
  /// What an admission of this kernel belongs to: its contracts, baseline, mutants and the version of the gates.
  virtual std::string admission_hash() = 0;
  /// What came with the kernel of a trial of its gates on devices with this DeviceInfo::admission_key; empty where
  /// nothing did, or where its contracts or its baseline have changed since.
  virtual AdmissionParts admitted(const std::string& /*device_key*/) { return {}; }
  /// Puts them beside the kernel, for other machines.
  virtual void keep_admitted(const std::string& /*device_key*/, const AdmissionParts& /*parts*/) {}
};

/// One kernel. Whoever needs less takes the port it needs.
class KernelPlugin : public KernelDescription,
                     public ConfigurationSpaces,
                     public CandidatePlans,
                     public KernelEdits,
                     public CarriedAdmission {};

/// Port to the plugin folders. An unknown kernel is Error(bad_input) with the nearest known name.
class Catalog {
 public:
  virtual ~Catalog() = default;
  virtual std::vector<std::string> kernel_names() = 0;
  /// Lives as long as the catalog.
  virtual KernelPlugin& plugin(const std::string& kernel) = 0;
  /// plugin(name).info()
  const KernelInfo& kernel(const std::string& name) { return plugin(name).info(); }
  /// What is wrong with a kernel, a sentence each: that it cannot be read, or what its own inspect() finds.
  std::vector<std::string> inspect(const std::string& kernel, const DeviceInfo& device);
};

void to_json(json& to, const Candidate& value);
void from_json(const json& from, Candidate& value);
void to_json(json& to, const Prior& value);
void from_json(const json& from, Prior& value);
void to_json(json& to, const Parameter& value);
void from_json(const json& from, Parameter& value);

}  // namespace harness
