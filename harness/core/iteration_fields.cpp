#include "harness/core/iteration_fields.h"

#include <cmath>
#include <limits>

#include "harness/core/error.h"

namespace harness {
namespace {

constexpr unsigned kKept = kColumn | kExport;
constexpr unsigned kAsked = kKept | kView | kAgentView;     // people and agents ask for it
constexpr unsigned kShown = kAsked | kLine | kAgentAnswer;  // it is told at once
constexpr const char* kVerdicts = "CHECK (verdict IN ('faster', 'slower', 'same'))";
constexpr const char* kOutcomes =
    "CHECK (outcome IN ('passed', 'screened', 'compile_error', 'launch_error', 'wrong_answer', 'rejected', "
    "'no_effect', 'abandoned', 'unsupported', 'crashed', 'timed_out', 'out_of_memory', 'interrupted', 'lost'))";

// clang-format off
const IterationField kFields[] = {
  {"ended_unix", &IterationFacts::ended_unix, kKept, "seconds since 1970 (UTC)"},
  {"outcome", &IterationRow::outcome, kAsked | kLine, "what came of it", nullptr, nullptr, kOutcomes},
  {"time_ns", &IterationFacts::time_ns, kShown | kDeviceTime, "median over rotated inputs, of passed and screened ones"},
  {"time_lo_ns", &IterationFacts::time_lo_ns, kAsked | kDeviceTime, "its 95 % interval"},
  {"time_hi_ns", &IterationFacts::time_hi_ns, kAsked | kDeviceTime, "its 95 % interval"},
  {"cold_ns", &IterationFacts::cold_ns, kShown | kDeviceTime, "one call after a flush of the L2", "cold_time_ns"},
  {"warm_ns", &IterationFacts::warm_ns, kAsked | kLine | kDeviceTime, "the same inputs again and again", "warm_time_ns"},
  {"baseline_ns", &IterationFacts::baseline_ns, kShown | kDeviceTime, "the kernel's 00 variant, this campaign and workload"},
  {"speedup", &IterationFacts::speedup, kShown, "baseline_ns / time_ns"},
  {"speedup_lo", &IterationFacts::speedup_lo, kAsked, "its 95 % interval"},
  {"speedup_hi", &IterationFacts::speedup_hi, kAsked, "its 95 % interval"},
  {"incumbent_ns", &IterationFacts::incumbent_ns, kKept | kLine, "measured interleaved with this candidate"},
  {"floor_ns", &IterationFacts::floor_ns, kShown, "speed of light; NULL on the cpu device"},
  {"verdict", &IterationRow::verdict, kShown, "against the incumbent", nullptr, nullptr, kVerdicts},
  {"confirmed", &IterationRow::confirmed, kKept | kView | kLine, "timed again in fresh processes on fresh inputs"},
  {"emulation", &IterationRow::emulation, kShown, "the cpu device: never compare with a GPU's time"},
  {"calls_per_sample", &IterationRow::calls_per_sample, kKept, "calls"},
  {"input_sets", &IterationRow::input_sets, kKept, "sets of inputs that were rotated"},
  {"method", &IterationRow::method, kKept, "\"graph x40, 128 sets, 16 bursts\""},
  {"error", &IterationRow::error, kKept, "json {stage, class, message, first_bad}: why it did not pass"},
  {"fingerprint", &IterationFacts::fingerprint, kKept | kAgentView | kAgentAnswer, "of a wrong answer: the same mistake has the same one; else \"\""},
  {"threshold_ns", &IterationFacts::threshold_ns, kKept, "abandoned: the limit it was clearly slower than"},
  {"stopped_ns", &IterationFacts::stopped_ns, kKept, "abandoned: its time so far"},
  {"same_as", &IterationRow::same_as, kColumn | kAgentView | kAgentAnswer, "no_effect: the iteration with the same machine code", nullptr, nullptr, "REFERENCES iteration(id)"},
  {"binary_hash", &EvaluationFacts::binary_hash, kExport | kWire, "of machine code and launches"},
  {"compiler", &EvaluationFacts::compiler, kExport | kDetail | kWire, "\"NVRTC 13.0\""},
  {"from_cache", &EvaluationFacts::from_cache, kKept | kDetail | kWire, "its machine code was not compiled anew"},
  {"registers", &IterationFacts::registers, kAsked, "a thread, of the entry with the most"},
  {"shared_bytes", &IterationFacts::shared_bytes, kAsked, "static"},
  {"spill_bytes", &IterationFacts::spill_bytes, kAsked, "a thread"},
  {"local_bytes", &IterationFacts::local_bytes, kKept, "a thread"},
  {"source_key", &IterationRow::source_key, kKept, "its own source", nullptr, "source", "REFERENCES source(hash)"},
  {"log_key", &IterationRow::log_key, kKept, "of the compiler", nullptr, "build_log", "REFERENCES build_log(hash)"},
  {"seeds", &IterationRow::seeds, kKept | kDetail, "json array: of the input draws"},
  {"decide_s", &StageCosts::decide_s, kColumn, "seconds by stage, summed over processes"},
  {"prepare_s", &StageCosts::prepare_s, kColumn, "builds that ran ahead"},
  {"build_s", &StageCosts::build_s, kColumn | kView, ""},
  {"gates_s", &StageCosts::gates_s, kColumn | kView, ""},
  {"timing_s", &StageCosts::timing_s, kColumn | kView, ""},
  {"idle_s", &StageCosts::idle_s, kColumn, "waiting for the device"},
  {"wall_s", &StageCosts::wall_s, kColumn | kView | kAgentView, "as the supervisor's clock saw it"},
  {"usd", &StageCosts::usd, kColumn | kView | kAgentView, "wall_s at the device's price; NULL: price unknown"},
  {"anchor_ns", &EvaluationFacts::anchor_ns, kKept | kView | kLine, "time_ns as the campaign's anchor card would show it; NULL: no other card of a fleet", "anchor_time_ns", nullptr, "", 12},
  {"machine_load", &EvaluationFacts::machine_load, kAsked | kLine | kWire, "processes a processor over the last minute, where it was evaluated", nullptr, nullptr, "", 17},
  {"gates_version", &EvaluationFacts::gates_version, kAsked | kLine | kWire, "of the gates that judged it; NULL: of those before version 7", nullptr, nullptr, "", 18},
  {"reachable_ns", &EvaluationFacts::reachable_ns, kShown | kWire, "launch, trips and floor: what a call can reach; NULL: not known", "limit_ns", nullptr, "", 19},
  {"batch_invariant", &EvaluationFacts::batch_invariant, kAsked | kLine | kAgentAnswer | kWire, "whether a row's bits are the same whatever its batch: yes, no, or not checked, and why; NULL: no finalist", nullptr, nullptr, "", 19},
  {"configurations_agree", &EvaluationFacts::configurations_agree, kAsked | kLine | kAgentAnswer | kWire, "whether another configuration gives the same bits: yes, no, or not checked, and why; NULL: no finalist", nullptr, nullptr, "", 19},
  {"launches", &EvaluationFacts::launches, kKept | kDetail | kWire, "its launches and other steps, a line each; NULL: not built", nullptr, nullptr, "", 19},
};
// clang-format on

}  // namespace

std::span<const IterationField> iteration_fields() {
  return kFields;
}

void add_facts(json& wire, const EvaluationFacts& facts) {
  for (const IterationField& field : kFields)
    if (field.is(kWire)) with_field(field, facts, [&](const auto& value) { wire[field.name] = value; });
}

void take_facts(const json& wire, EvaluationFacts& facts) {
  for (const IterationField& field : kFields)
    if (field.is(kWire)) with_field(field, facts, [&](auto& value) { wire.at(field.name).get_to(value); });
}

json exported(const IterationRow& row) {
  json j = {{"cost", row.cost}, {"gates", row.gates}, {"errors", row.errors}, {"samples", row.samples}};
  for (const IterationField& field : kFields)
    if (field.is(kExport)) with_field(field, row, [&](const auto& value) { j[field.name] = value; });
  for (json& error : j["errors"]) {
    for (const char* key : {"relative_l2", "tolerance"})
      if (!std::isfinite(error[key].get<double>())) error[key] = nullptr;
  }
  return j;
}

IterationRow imported(json j) {
  for (json& error : j.at("errors")) {
    for (const char* key : {"relative_l2", "tolerance"})
      if (error.at(key).is_null()) error[key] = std::numeric_limits<double>::quiet_NaN();
  }
  IterationRow row;
  j.at("cost").get_to(row.cost);
  j.at("gates").get_to(row.gates);
  j.at("errors").get_to(row.errors);
  j.at("samples").get_to(row.samples);
  for (const IterationField& field : kFields) {
    if (!field.is(kExport) || (field.lines > 0 && !j.contains(field.name))) continue;
    with_field(field, row, [&](auto& value) { j.at(field.name).get_to(value); });
  }
  for (const auto& time : {row.time_ns, row.cold_ns, row.warm_ns, row.baseline_ns})
    if (time && !(*time > 0)) throw bad_input("a time is not positive");
  if (row.cost.wall_s < 0) throw bad_input("wall_s is negative");
  return row;
}

}  // namespace harness
