#pragma once
#include <functional>
#include <string>
#include <vector>

#include "harness/core/admission.h"
#include "harness/core/catalog.h"
#include "harness/core/evaluator.h"
#include "harness/core/ledger.h"

namespace harness {

/// How many other points of the domain an evaluation's gates are given.
inline constexpr int kSearchNeighbours = 3;
inline constexpr int kFinalNeighbours = 8;

/// A request to evaluate a candidate, with what its gates ask of the plugin folders: fresh points of the domain, and
/// one for the pre-flight check where the evaluator makes one. Catalog and evaluator must outlive it.
EvaluationRequest gated_request(Catalog& catalog, Evaluator& evaluator, Realized realized, Points points);

/// What the trial of a kernel's gates needs: for each group of workloads that is sensible on the device its smallest
/// telling one with neighbours; and each of the kernel's mutants, which must be caught as a finalist on one of the
/// workloads that are timed by default or that stand for a group. Catalog and evaluator must outlive the request.
AdmissionRequest admission_request(Catalog& catalog, Evaluator& evaluator, const std::string& kernel);

/// The admission that is recorded, or one made now and recorded. nullopt: stopped on the way.
std::optional<Admission> known_admission(Catalog& catalog, Evaluator& evaluator, AdmissionRecord& admissions,
                                         const std::string& kernel);
/// What must be done about the gates of a kernel before anything is judged by them: nothing where their admission is
/// recorded, a spot check where they were tried elsewhere, else the whole trial. Each takes longer than the one before.
enum class GateTrial { none, spot_check, whole };
GateTrial gate_trial(Catalog& catalog, Evaluator& evaluator, AdmissionRecord& admissions, const std::string& kernel);
/// The same in words; "" for nothing.
std::string gates_to_try(Catalog& catalog, Evaluator& evaluator, AdmissionRecord& admissions,
                         const std::string& kernel);
/// What a trial of its gates runs first, one for each group of workloads: to be prepared while something else is done.
std::vector<Realized> trial_baselines(Catalog& catalog, Evaluator& evaluator, const std::string& kernel);

/// A kernel's baseline at a small point of the domain on the cpu device, where its reference has two blocks; nothing
/// where no cpu device is here or its features do not allow it.
std::optional<Realized> small_baseline(Catalog& catalog, Evaluator& evaluator, const std::string& kernel);
/// Where a contract is reviewed: where its gates are tried, and for a GPU, whose workloads are too large for many draws
/// on the host, at one point that the cpu device affords.
std::vector<Realized> review_baselines(Catalog& catalog, Evaluator& evaluator, const std::string& kernel_name);

/// What is recorded of the device's peaks, or measured now and recorded; all zero where times are emulated.
MeasuredPeaks known_peaks(Evaluator& evaluator, DeviceRecord& record);

/// The sentence with which a kernel is refused: its first problems, and where to read the rest.
std::string refusal(const Admission& admission);

}  // namespace harness
