#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/core/contract.h"
#include "harness/core/json.h"

// A kernel is admitted when its gates have been shown to tell right from wrong: every mutant must fail. The same trial
// measures the tolerances that its gates then judge by.
namespace harness {

/// Outputs of fewer elements may all be exact by chance: they tell nothing of a precision.
inline constexpr std::int64_t kTellingElements = 512;

/// How far an output may be from the reference, and where that comes from. Errors are in what the output's comparison
/// measures: relative L2, ulp, or fraction of elements.
struct Tolerance {
  std::string group;    // workload_group: "dtype=f16"
  std::string form;     // of the draw: "nominal", "spikes", ...
  std::string output;   // argument
  double honest = 0;    // largest error of the baseline, measured
  double impostor = 0;  // error of the same computation one precision lower
  double tolerance = 0;
  std::string origin;  // "derived", "declared", "model" (declared accuracy), "gross": the two do not separate in this
                       // form, only gross errors show
};

/// A mutant and what met it. `caught_by` is the gate, or the outcome for one that crashed; "" if every gate let it
/// pass.
struct MutantVerdict {
  std::string name, workload, output, caught_by, detail;
};

/// What trials of a kernel's gates found, part by part: what a form of the inputs told, a group's generated mutants, a
/// mutant of the kernel's own.
using AdmissionParts = std::map<std::string, json>;

struct Admission {
  std::string kernel, device_name;
  std::string device_key;  // DeviceInfo::admission_key: the devices that this holds for
  std::string hash;        // of contracts, baseline, mutants and version of the gates: Catalog::admission_hash
  bool passed = false;
  std::vector<Tolerance> tolerances;
  std::vector<MutantVerdict> mutants;
  std::vector<std::string> skipped_forms;  // sentences: forms out of the kernel's range
  std::vector<std::string> problems;       // sentences: why it is refused
  double seconds = 0;
  /// Of a trial made elsewhere on a like device, what was tried again here, in words; empty: everything was tried here.
  std::string spot_checked;
  AdmissionParts parts;  // in the trial's own hands; a store gives them part by part
};

/// The workload's values that are texts ("dtype=f16"): what a tolerance depends on besides the form of the draw.
std::string workload_group(const Workload& workload);
const Tolerance* find_tolerance(const Admission& admission, const std::string& group, const std::string& form,
                                const std::string& output);
/// The forms that the gates use for a group, "nominal" first.
std::vector<std::string> admitted_forms(const Admission& admission, const std::string& group);

void to_json(json& to, const Tolerance& value);
void from_json(const json& from, Tolerance& value);
void to_json(json& to, const MutantVerdict& value);
void from_json(const json& from, MutantVerdict& value);
void to_json(json& to, const Admission& value);
void from_json(const json& from, Admission& value);

}  // namespace harness
