#pragma once
#include "harness/core/catalog.h"
#include "harness/core/evaluator.h"

// Requests and evaluations as JSON. What crosses is small: names, numbers and hashes. Sources, plans and inputs are
// made where the evaluation runs, from plugins that must be the same (plugins_hash).
namespace harness::fleet {

inline constexpr int kProtocol = 2;

/// What a realized candidate is called elsewhere: its names, its shape if nobody declared it, and the hashes that the
/// plugins there must give.
json name_of(const Realized& realized);
/// Realizes it here. Throws Error(bad_input) if what comes out has other hashes.
Realized realize_named(const json& name, Catalog& catalog, const DeviceInfo& device);

/// All but the callbacks and the admission, which is sent once for a kernel.
json to_wire(const EvaluationRequest& request);
/// `admission` outlives the request. Its callbacks are the caller's to set.
EvaluationRequest request_from(const json& wire, Catalog& catalog, Evaluator& evaluator, const Admission* admission);

/// The source is left out where it is that of the request's build; a log is cut at 32 KiB.
json to_wire(const Evaluation& evaluation, const std::string& own_source);
Evaluation evaluation_from(const json& wire, const std::string& own_source);

/// Of all that decides about a kernel: contracts, gates, variants and their sources. Two machines whose plugins differ
/// have different ones.
std::string plugins_hash(Catalog& catalog, const std::string& kernel);

}  // namespace harness::fleet
