#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/core/device.h"
#include "harness/core/enum_text.h"
#include "harness/core/json.h"

namespace harness {

/// Where an output first departs from the reference, for people and agents.
struct FirstBad {
  std::string argument;
  std::vector<std::int64_t> index;
  double expected = 0, got = 0;
  std::int64_t ulp = 0;
};

/// The measured error of one output argument. `ulp_histogram[k]`: elements whose distance is 0, 1, 2-3, 4-7, 8-15, ...
/// (bucket k covers [2^(k-1), 2^k)); the last bucket, 32, is everything larger and all non-finite.
struct ArgumentError {
  std::string argument;
  double relative_l2 = 0;
  std::int64_t max_ulp = 0;
  std::vector<std::int64_t> ulp_histogram;
  std::int64_t non_finite = 0;  // where the reference is finite
  std::int64_t unwritten = 0;   // still exactly the poison, where the reference differs from it
  std::int64_t mismatches = 0;  // exact, quantized, set
  double tolerance = 0;
};

struct GateResult {
  std::string name;  // "finite", "written", "relative-l2", "inputs-unchanged", "guard-zones", ...
  bool passed = true;
  std::string detail;                  // evidence in words and numbers, also when it passed
  bool checked = true;                 // false: it could not be checked, `detail` says why; never to be read as passed
  std::optional<double> seconds = {};  // from the gate before it until it was known, waiting included
};

/// What the judge says of one launch: all gates of correctness over one draw.
struct Verdict {
  std::uint64_t seed = 0;
  std::vector<GateResult> gates;
  std::vector<ArgumentError> errors;
  std::optional<FirstBad> first_bad;
  std::string pattern;  // where and how the wrong elements lie, in stable words: "rows >= 64, ratio 0.675"
  bool passed() const;
};

/// Null where none failed.
const GateResult* first_failed(const std::vector<GateResult>& gates);

enum class Comparison { faster, slower, same };

/// Times in nanoseconds per call. `time` is the rotating median; intervals are 95 %.
struct Timing {
  double time_ns = 0, time_lo_ns = 0, time_hi_ns = 0;
  std::optional<double> cold_ns, warm_ns;
  std::optional<double> baseline_ns;                      // the kernel's 00 variant, this campaign and workload
  std::optional<double> speedup, speedup_lo, speedup_hi;  // over the baseline
  std::optional<double> incumbent_ns;                     // measured interleaved with this candidate
  std::optional<double> floor_ns;                         // speed of light; null on the cpu device
  std::optional<Comparison> verdict;                      // against the incumbent; null for the first
  Samples samples;
  bool emulation = false;
};

/// `killed`: from outside, which is nothing that the candidate did.
/// `node_lost`: two nodes of a fleet ended while they evaluated it.
enum class CrashKind {
  illegal_access,
  trap,
  assertion,
  barrier_deadlock,
  signal,
  killed,
  device_lost,
  node_lost,
  unknown
};

// The outcome of an experiment: a sum type, and every consumer says what it does with each case.
struct Passed {
  Timing timing;
};
/// Right where it was judged, at the timed size, and no new best by its time: the gates beyond that were not needed. It
/// is never a best, and never evidence of correctness.
struct Screened {
  Timing timing;
};
struct CompileError {
  std::string log;
};
struct LaunchError {
  std::string message;
};
struct WrongAnswer {
  std::string message;
  std::optional<FirstBad> first_bad;
  std::string fingerprint;
};
struct Rejected {
  std::string gate, message;
};
struct NoEffect {
  std::int64_t same_as_iteration = 0;
};
struct Abandoned {
  double threshold_ns = 0, time_ns = 0;
};
struct Unsupported {
  std::string message;
};
struct Crashed {
  CrashKind kind = CrashKind::unknown;
  std::string detail;
};
struct TimedOut {
  double deadline_s = 0;
  std::string stage;
};
struct OutOfMemory {
  std::string detail;
};
struct Interrupted {};
/// The node that evaluated it ended, or was not heard of any more: nothing is known of the candidate.
struct Lost {
  std::string node, detail;
};
using Outcome = std::variant<Passed, Screened, CompileError, LaunchError, WrongAnswer, Rejected, NoEffect, Abandoned,
                             Unsupported, Crashed, TimedOut, OutOfMemory, Interrupted, Lost>;

/// Which case an outcome is, where that is all that is kept; in the order of the variant.
enum class OutcomeKind {
  passed,
  screened,
  compile_error,
  launch_error,
  wrong_answer,
  rejected,
  no_effect,
  abandoned,
  unsupported,
  crashed,
  timed_out,
  out_of_memory,
  interrupted,
  lost
};
OutcomeKind kind_of(const Outcome& outcome);
/// The time of what passed or was screened; nullptr for what has none.
const Timing* timing_of(const Outcome& outcome);
/// It comes with a complete time: passed, screened. What is tried next may rest on it, what is reported may not.
bool is_timed(OutcomeKind kind);
/// Nothing was wrong with it as far as it was asked: passed, screened, abandoned.
bool is_sound(OutcomeKind kind);
/// Nothing was learnt of the candidate: interrupted, lost. It is evaluated again.
bool says_nothing(OutcomeKind kind);
std::string_view outcome_name(const Outcome& outcome);  // "compile_error": the words of the CLI and the store
/// The JSON `error` object of CLI.md ({stage, class, message, first_bad}); null for Passed and Screened.
json error_json(const Outcome& outcome);

HARNESS_ENUM_TEXT(OutcomeKind);
HARNESS_ENUM_TEXT(Comparison);
HARNESS_ENUM_TEXT(CrashKind);
/// JSON has no infinities or NaN, and those are what a first bad element often holds: they are written "inf", "-inf",
/// "nan".
void to_json(json& j, const FirstBad& bad);
void from_json(const json& j, FirstBad& bad);
void to_json(json& to, const ArgumentError& value);
void from_json(const json& from, ArgumentError& value);
/// `passed` is null for a gate that was not checked.
void to_json(json& j, const GateResult& gate);
void from_json(const json& j, GateResult& gate);
void to_json(json& to, const Verdict& value);
void from_json(const json& from, Verdict& value);
void to_json(json& to, const Timing& value);
void from_json(const json& from, Timing& value);

}  // namespace harness
