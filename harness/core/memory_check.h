#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/json.h"

namespace harness {

/// Something a memory checker saw device code do. `kind`: out_of_bounds, misaligned, uninitialized, race,
/// barrier_divergence, inactive_lane, same_value, leak, other. `message` is one sentence with buffer, element, and
/// file:line of both sides where there are two.
struct Finding {
  std::string kind, message;
};

/// False for what is no fault by itself. A race of stores of one value is one by the memory model, and leaves that
/// value on every device. And a shuffle that reads a lane which takes no part gets an undefined value, and may have no
/// use for it. It explains an answer that is wrong.
bool is_fault(const Finding& finding);

/// How a comparison of a build with BuildSpec::compares went, over a whole run.
struct ComparedSite {
  std::uint64_t site = 0;  // an offset into the candidate's code
  bool less = false, equal = false, greater = false;
  bool floating = false;       // of floating numbers
  bool finite = false;         // once at least both sides were finite
  double left = 0, right = 0;  // the two sides where they were nearest to each other; 0 where never finite
  std::uint64_t operands = 0;  // of all that it compared, in no order: other operands, another number

  bool one_way() const { return less + equal + greater == 1; }
};

/// The kind of a raw finding that says that no instrumented code touched a buffer: nothing was looked at.
inline constexpr const char* kNothingInstrumented = "nothing_instrumented";

/// A finding of a checked run as the process that ran the candidate can say it. Places in the source are offsets into
/// the candidate's code; the text names the n-th of them as "@n". What reads it must not trust it: native code ran
/// beside its writer.
struct RawFinding {
  std::string kind;  // as a Finding's
  std::string text;
  std::vector<std::uint64_t> sites;
  long long count = 1;                        // how often it was seen
  long long same_values = 0;                  // of these, both sides were seen to write one value
  std::optional<ComparedSite> compared = {};  // instead of all but the kind: no finding
};

/// What one run of a plan under a checker found. `checked` is false where the tool is absent or did not finish, and
/// `why` says so: never to be read as "passed".
struct MemoryCheck {
  std::string tool;  // "cpu-checked", "memcheck", "racecheck", "initcheck", "synccheck"
  bool checked = false;
  bool available = true;  // false: this machine has no such tool
  std::string why;
  std::vector<Finding> findings;
  double seconds = 0;  // from the common start of the tools until this one was done
};

/// Those that are faults, in their order.
std::vector<Finding> faults(const MemoryCheck& check);

void to_json(json& to, const ComparedSite& value);
void from_json(const json& from, ComparedSite& value);
void to_json(json& to, const Finding& value);
void from_json(const json& from, Finding& value);
void to_json(json& to, const RawFinding& value);
void from_json(const json& from, RawFinding& value);
void to_json(json& to, const MemoryCheck& value);
void from_json(const json& from, MemoryCheck& value);

}  // namespace harness
