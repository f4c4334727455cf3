#include "harness/core/outcome.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "harness/core/json_fields.h"
#include "harness/core/match.h"

namespace harness {
namespace {

json number_to_json(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  return number;
}

double number_from_json(const json& j) {
  return j.is_string() ? std::stod(j.get<std::string>()) : j.get<double>();
}

json error(const std::string& stage, const std::string& error_class, const std::string& message) {
  return {{"stage", stage}, {"class", error_class}, {"message", message}, {"first_bad", nullptr}};
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// The first line of a compiler's log that names an error, else the first that says anything.
std::string first_error_line(const std::string& log) {
  std::istringstream lines(log);
  std::string fallback;
  for (std::string line; std::getline(lines, line);) {
    line = trimmed(line);
    if (line.find("error") != std::string::npos) return line;
    if (fallback.empty()) fallback = line;
  }
  return fallback.empty() ? "the compiler failed and said nothing" : fallback;
}

std::string or_else(const std::string& text, const char* fallback) {
  return text.empty() ? fallback : text;
}

json wrong_answer_json(const WrongAnswer& wrong) {
  json j = error("gates", "wrong_answer", wrong.message);
  j["first_bad"] = wrong.first_bad;
  j["fingerprint"] = wrong.fingerprint;
  return j;
}

json abandoned_json(const Abandoned& abandoned) {
  std::ostringstream message;
  message << "stopped early at " << abandoned.time_ns << " ns: clearly slower than the limit of "
          << abandoned.threshold_ns << " ns";
  return error("timing", "clearly_slower", message.str());
}

json timed_out_json(const TimedOut& timed_out) {
  std::ostringstream message;
  message << "did not end within its deadline of " << timed_out.deadline_s << " s";
  return error(or_else(timed_out.stage, "run"), "deadline", message.str());
}

}  // namespace

void to_json(json& j, const FirstBad& bad) {
  j = json{{"argument", bad.argument},
           {"index", bad.index},
           {"expected", number_to_json(bad.expected)},
           {"got", number_to_json(bad.got)},
           {"ulp", bad.ulp}};
}

void from_json(const json& j, FirstBad& bad) {
  bad.argument = j.at("argument").get<std::string>();
  bad.index = j.at("index").get<std::vector<std::int64_t>>();
  bad.expected = number_from_json(j.at("expected"));
  bad.got = number_from_json(j.at("got"));
  bad.ulp = j.at("ulp").get<std::int64_t>();
}

const GateResult* first_failed(const std::vector<GateResult>& gates) {
  const auto failed = std::find_if(gates.begin(), gates.end(), [](const GateResult& gate) { return !gate.passed; });
  return failed == gates.end() ? nullptr : &*failed;
}

bool Verdict::passed() const {
  return std::ranges::all_of(gates, &GateResult::passed);
}

OutcomeKind kind_of(const Outcome& outcome) {
  static_assert(std::variant_size_v<Outcome> == static_cast<std::size_t>(OutcomeKind::lost) + 1);
  return static_cast<OutcomeKind>(outcome.index());
}

const Timing* timing_of(const Outcome& outcome) {
  if (const auto* passed = std::get_if<Passed>(&outcome)) return &passed->timing;
  if (const auto* screened = std::get_if<Screened>(&outcome)) return &screened->timing;
  return nullptr;
}

bool is_timed(OutcomeKind kind) {
  return kind == OutcomeKind::passed || kind == OutcomeKind::screened;
}

bool is_sound(OutcomeKind kind) {
  return is_timed(kind) || kind == OutcomeKind::abandoned;
}

bool says_nothing(OutcomeKind kind) {
  return kind == OutcomeKind::interrupted || kind == OutcomeKind::lost;
}

std::string_view outcome_name(const Outcome& outcome) {
  return name(kind_of(outcome));
}

json error_json(const Outcome& outcome) {
  return std::visit(
      Match{[](const Passed&) { return json(nullptr); }, [](const Screened&) { return json(nullptr); },
            [](const CompileError& c) { return error("build", "compile_error", first_error_line(c.log)); },
            [](const LaunchError& l) { return error("run", "launch_error", l.message); },
            [](const WrongAnswer& w) { return wrong_answer_json(w); },
            [](const Rejected& r) { return error("gates", r.gate, r.message); },
            [](const NoEffect& n) {
              return error("build", "same_machine_code",
                           "its machine code is that of iteration " + std::to_string(n.same_as_iteration));
            },
            [](const Abandoned& a) { return abandoned_json(a); },
            [](const Unsupported& u) { return error("build", "unsupported", u.message); },
            [](const Crashed& c) {
              return error("run", std::string(name(c.kind)), or_else(c.detail, "the process that ran it died"));
            },
            [](const TimedOut& t) { return timed_out_json(t); },
            [](const OutOfMemory& o) { return error("run", "out_of_memory", or_else(o.detail, "memory ran out")); },
            [](const Interrupted&) { return error("run", "interrupted", "interrupted before it ended"); },
            [](const Lost& l) { return error("run", "node_lost", "node " + l.node + " was lost: " + l.detail); }},
      outcome);
}

void to_json(json& j, const GateResult& gate) {
  j = {{"name", gate.name}, {"passed", gate.checked ? json(gate.passed) : json()}, {"detail", gate.detail}};
  if (gate.seconds) j["seconds"] = *gate.seconds;
}

void from_json(const json& j, GateResult& gate) {
  j.at("name").get_to(gate.name);
  j.at("detail").get_to(gate.detail);
  gate.checked = !j.at("passed").is_null();
  gate.passed = gate.checked ? j.at("passed").get<bool>() : true;
  gate.seconds = j.contains("seconds") ? std::optional(j.at("seconds").get<double>()) : std::nullopt;
}

HARNESS_JSON(ArgumentError, argument, relative_l2, max_ulp, ulp_histogram, non_finite, unwritten, mismatches, tolerance)
HARNESS_JSON(Verdict, seed, gates, errors, first_bad, pattern)
HARNESS_JSON(Timing, time_ns, time_lo_ns, time_hi_ns, cold_ns, warm_ns, baseline_ns, speedup, speedup_lo, speedup_hi,
             incumbent_ns, floor_ns, verdict, samples, emulation)
HARNESS_ENUM_TABLE(OutcomeKind, "outcome",
                   {{OutcomeKind::passed, "passed"},
                    {OutcomeKind::screened, "screened"},
                    {OutcomeKind::compile_error, "compile_error"},
                    {OutcomeKind::launch_error, "launch_error"},
                    {OutcomeKind::wrong_answer, "wrong_answer"},
                    {OutcomeKind::rejected, "rejected"},
                    {OutcomeKind::no_effect, "no_effect"},
                    {OutcomeKind::abandoned, "abandoned"},
                    {OutcomeKind::unsupported, "unsupported"},
                    {OutcomeKind::crashed, "crashed"},
                    {OutcomeKind::timed_out, "timed_out"},
                    {OutcomeKind::out_of_memory, "out_of_memory"},
                    {OutcomeKind::interrupted, "interrupted"},
                    {OutcomeKind::lost, "lost"}})
HARNESS_ENUM_TABLE(Comparison, "verdict",
                   {{Comparison::faster, "faster"}, {Comparison::slower, "slower"}, {Comparison::same, "same"}})
HARNESS_ENUM_TABLE(CrashKind, "kind of crash",
                   {{CrashKind::unknown, "unknown"},
                    {CrashKind::illegal_access, "illegal_access"},
                    {CrashKind::trap, "trap"},
                    {CrashKind::assertion, "assertion"},
                    {CrashKind::barrier_deadlock, "barrier_deadlock"},
                    {CrashKind::signal, "signal"},
                    {CrashKind::killed, "killed"},
                    {CrashKind::device_lost, "device_lost"},
                    {CrashKind::node_lost, "node_lost"}})

}  // namespace harness
