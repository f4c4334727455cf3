#include "harness/fleet/wire.h"

#include <fmt/format.h>

#include <limits>

#include "harness/campaign/gatekeeper.h"
#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/core/iteration_fields.h"
#include "harness/core/match.h"

namespace harness::fleet {
namespace {

constexpr std::size_t kLongestLog = 32 << 10;

json outcome_to_wire(const Outcome& outcome) {
  json j = std::visit(
      Match{[](const Passed& o) {
              return json{{"timing", o.timing}};
            },
            [](const Screened& o) {
              return json{{"timing", o.timing}};
            },
            [](const CompileError& o) {
              return json{{"log", o.log.substr(0, kLongestLog)}};
            },
            [](const LaunchError& o) {
              return json{{"message", o.message}};
            },
            [](const WrongAnswer& o) {
              return json{{"message", o.message}, {"first_bad", o.first_bad}, {"fingerprint", o.fingerprint}};
            },
            [](const Rejected& o) {
              return json{{"gate", o.gate}, {"message", o.message}};
            },
            [](const NoEffect& o) {
              return json{{"same_as", o.same_as_iteration}};
            },
            [](const Abandoned& o) {
              return json{{"threshold_ns", o.threshold_ns}, {"time_ns", o.time_ns}};
            },
            [](const Unsupported& o) {
              return json{{"message", o.message}};
            },
            [](const Crashed& o) {
              return json{{"kind_of_crash", o.kind}, {"detail", o.detail}};
            },
            [](const TimedOut& o) {
              return json{{"deadline_s", o.deadline_s}, {"stage", o.stage}};
            },
            [](const OutOfMemory& o) {
              return json{{"detail", o.detail}};
            },
            [](const Interrupted&) { return json::object(); },
            [](const Lost& o) {
              return json{{"node", o.node}, {"detail", o.detail}};
            }},
      outcome);
  j["kind"] = kind_of(outcome);
  return j;
}

Outcome outcome_from(const json& j) {
  const auto text = [&](const char* key) { return j.at(key).get<std::string>(); };
  switch (j.at("kind").get<OutcomeKind>()) {
    case OutcomeKind::passed:
      return Passed{j.at("timing").get<Timing>()};
    case OutcomeKind::screened:
      return Screened{j.at("timing").get<Timing>()};
    case OutcomeKind::compile_error:
      return CompileError{text("log")};
    case OutcomeKind::launch_error:
      return LaunchError{text("message")};
    case OutcomeKind::wrong_answer:
      return WrongAnswer{text("message"), j.at("first_bad").get<std::optional<FirstBad>>(), text("fingerprint")};
    case OutcomeKind::rejected:
      return Rejected{text("gate"), text("message")};
    case OutcomeKind::no_effect:
      return NoEffect{j.at("same_as").get<std::int64_t>()};
    case OutcomeKind::abandoned:
      return Abandoned{j.at("threshold_ns").get<double>(), j.at("time_ns").get<double>()};
    case OutcomeKind::unsupported:
      return Unsupported{text("message")};
    case OutcomeKind::crashed:
      return Crashed{j.at("kind_of_crash").get<CrashKind>(), text("detail")};
    case OutcomeKind::timed_out:
      return TimedOut{j.at("deadline_s").get<double>(), text("stage")};
    case OutcomeKind::out_of_memory:
      return OutOfMemory{text("detail")};
    case OutcomeKind::interrupted:
      break;
    case OutcomeKind::lost:
      return Lost{text("node"), text("detail")};
  }
  return Interrupted{};
}

NewVariant new_variant_from(const json& j) {
  return {j.at("kernel"), j.at("name"), j.at("parent"), j.at("source"), j.at("manifest"), j.at("proposal")};
}

}  // namespace

json name_of(const Realized& realized) {
  const Workload& workload = realized.problem.workload;
  return {{"candidate", realized.candidate},
          {"workload", workload.name},
          {"shape", workload.declared ? json() : json(to_text(workload.values))},
          {"contract_hash", realized.problem.contract_hash},
          {"source_hash", realized.source_hash}};
}

Realized realize_named(const json& name, Catalog& catalog, const DeviceInfo& device) {
  const auto candidate = name.at("candidate").get<Candidate>();
  const auto workload = name.at("workload").get<std::string>();
  if (!name.at("shape").is_null()) catalog.plugin(candidate.kernel).add_shape(name.at("shape"), device);
  Realized realized = catalog.plugin(candidate.kernel).realize(candidate, workload, device);
  if (realized.problem.contract_hash == name.at("contract_hash") && realized.source_hash == name.at("source_hash"))
    return realized;
  throw bad_input(fmt::format(
      "the plugins of this node are others: {} of kernel '{}' has another {} here; copy the "
      "folder kernels/ to the node",
      candidate.variant, candidate.kernel, realized.source_hash == name.at("source_hash") ? "contract" : "source"));
}

json to_wire(const EvaluationRequest& request) {
  json incumbent, failed, made = json::array();
  if (request.incumbent)
    incumbent = {{"name", name_of(request.incumbent->realized)},
                 {"time_ns", request.incumbent->time_ns},
                 {"speedup", request.incumbent->speedup},
                 {"by_record", request.incumbent->by_record},
                 {"alone_ns", request.incumbent->alone_ns}};
  if (request.failed_before)
    failed = {{"gate", request.failed_before->gate}, {"iteration", request.failed_before->iteration}};
  for (const NewVariant& variant : request.made)
    made.push_back({{"kernel", variant.kernel},
                    {"name", variant.name},
                    {"parent", variant.parent},
                    {"source", variant.source},
                    {"manifest", variant.manifest},
                    {"proposal", variant.proposal}});
  return {{"name", name_of(request.realized)},
          {"incumbent", incumbent},
          {"baseline_ns", request.baseline_ns},
          {"confirm", request.confirm},
          {"points", request.points},
          {"screen", request.screen},
          {"brief_s", request.brief_s},
          {"may_differ", request.may_differ},
          {"failed_before", failed},
          {"gates_only", request.gates_only},
          {"stages", request.stages},
          {"abandon_factor", request.abandon_factor},
          {"asks_recorded", static_cast<bool>(request.recorded_with)},
          {"made", made}};
}

EvaluationRequest request_from(const json& wire, Catalog& catalog, Evaluator& evaluator, const Admission* admission) {
  for (const json& made : wire.at("made")) {
    const NewVariant variant = new_variant_from(made);
    catalog.plugin(variant.kernel).add_variant(variant);
  }
  const DeviceInfo device = evaluator.device();
  EvaluationRequest request = gated_request(catalog, evaluator, realize_named(wire.at("name"), catalog, device),
                                            wire.at("points").get<Points>());
  if (const json& incumbent = wire.at("incumbent"); !incumbent.is_null())
    request.incumbent =
        Incumbent{realize_named(incumbent.at("name"), catalog, device), incumbent.at("time_ns").get<double>(),
                  incumbent.at("speedup").get<std::optional<double>>(), incumbent.at("by_record").get<bool>(),
                  incumbent.at("alone_ns").get<double>()};
  request.baseline_ns = wire.at("baseline_ns").get<std::optional<double>>();
  request.confirm = wire.at("confirm");
  request.screen = wire.at("screen");
  request.brief_s = wire.at("brief_s");
  request.may_differ = wire.at("may_differ");
  if (const json& failed = wire.at("failed_before"); !failed.is_null())
    request.failed_before = FailedBefore{failed.at("gate"), failed.at("iteration")};
  request.gates_only = wire.at("gates_only");
  request.stages = wire.at("stages");
  request.abandon_factor = wire.at("abandon_factor");
  request.admission = admission;
  return request;
}

json to_wire(const Evaluation& evaluation, const std::string& own_source) {
  const bool own = evaluation.source_text == own_source;
  json wire = {{"outcome", outcome_to_wire(evaluation.outcome)},
               {"gates", evaluation.gates},
               {"errors", evaluation.errors},
               {"seeds", evaluation.seeds},
               {"resources", evaluation.resources},
               {"flags", evaluation.flags},
               {"contract_hash", evaluation.contract_hash},
               {"source_hash", evaluation.source_hash},
               {"source_text", own ? json() : json(evaluation.source_text)},
               {"log", evaluation.log.substr(0, kLongestLog)},
               {"cost", evaluation.cost},
               {"incumbent_alone_ns", evaluation.incumbent_alone_ns},
               {"calibration_s", evaluation.calibration_s}};
  add_facts(wire, evaluation);
  return wire;
}

Evaluation evaluation_from(const json& wire, const std::string& own_source) {
  Evaluation evaluation;
  evaluation.outcome = outcome_from(wire.at("outcome"));
  wire.at("gates").get_to(evaluation.gates);
  json errors = wire.at("errors");  // JSON has no NaN and no infinities: null
  for (json& error : errors)
    for (const char* key : {"relative_l2", "tolerance"})
      if (error.at(key).is_null()) error[key] = std::numeric_limits<double>::quiet_NaN();
  errors.get_to(evaluation.errors);
  wire.at("seeds").get_to(evaluation.seeds);
  evaluation.resources = wire.at("resources").get<std::optional<EntryResources>>();
  wire.at("flags").get_to(evaluation.flags);
  wire.at("contract_hash").get_to(evaluation.contract_hash);
  wire.at("source_hash").get_to(evaluation.source_hash);
  evaluation.source_text = wire.at("source_text").is_null() ? own_source : wire.at("source_text").get<std::string>();
  wire.at("log").get_to(evaluation.log);
  take_facts(wire, evaluation);
  wire.at("cost").get_to(evaluation.cost);
  evaluation.incumbent_alone_ns = wire.at("incumbent_alone_ns").get<std::optional<double>>();
  wire.at("calibration_s").get_to(evaluation.calibration_s);
  return evaluation;
}

std::string plugins_hash(Catalog& catalog, const std::string& kernel) {
  Sha256 hash;
  hash.field(catalog.plugin(kernel).admission_hash());
  for (const VariantInfo& variant : catalog.kernel(kernel).variants)
    if (!variant.proposal) hash.field(variant.name).field(variant.source_hash);
  return hash.hex();
}

}  // namespace harness::fleet
