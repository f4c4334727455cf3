#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/json.h"
#include "harness/core/profile.h"

namespace harness {

/// A rule that says what limits a candidate, strategies/diagnoses/NAME.lua.
struct DiagnosisRule {
  std::string name, summary, source, file;
  std::vector<std::string> counters;  // numbers of a profile that it needs,
  std::vector<std::string> counted;   // or these instead, where there are no counters; may be empty
  std::vector<std::string> also;      // that it reads if they are there
  std::string page;                   // of the playbook, which answers it: "115-vector-loads"; may be empty
  json defaults = json::object();     // its thresholds
  std::string error;                  // not empty: the file cannot be used, and why; then only `file` is known
};

void to_json(json& to, const DiagnosisRule& value);

/// A rule that speaks of a profile.
struct FiringRule {
  Diagnosis diagnosis;
  double severity = 0;  // the share of the time that mending it might save
};

/// Port to the rules. What a rule needs and a profile does not know leaves it silent.
class Diagnoser {
 public:
  virtual ~Diagnoser() = default;
  /// By name; a rule that cannot be used hides no other.
  virtual std::vector<DiagnosisRule> rules() = 0;
  /// The most severe of all (a severity is the share of the time that mending it might save),
  /// the first by name where two are equal; nothing where none speaks. Throws Error(bad_input), file and line in front,
  /// for a rule that fails.
  virtual std::optional<Diagnosis> diagnose(const Profile& profile) = 0;
  /// All that speak, the most severe first.
  virtual std::vector<FiringRule> diagnose_all(const Profile& profile) {
    const std::optional<Diagnosis> worst = diagnose(profile);
    return worst ? std::vector<FiringRule>{{*worst, 0}} : std::vector<FiringRule>{};
  }
};

}  // namespace harness
