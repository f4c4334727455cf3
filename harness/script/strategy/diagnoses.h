#pragma once
#include <filesystem>
#include <vector>

#include "harness/core/diagnoser.h"
#include "harness/script/sandbox/sandbox.h"
#include "harness/script/strategy/library_source.h"

namespace harness::script {

/// The rules in `diagnoses/` of the strategy folders. Each runs in a sandbox of its own.
class LuaDiagnoses : public Diagnoser {
 public:
  explicit LuaDiagnoses(std::vector<std::filesystem::path> strategy_folders, Limits limits = {});

  std::vector<DiagnosisRule> rules() override;
  std::optional<Diagnosis> diagnose(const Profile& profile) override;
  std::vector<FiringRule> diagnose_all(const Profile& profile) override;

 private:
  StrategyFolders folders_;
  Limits limits_;
};

/// Runs a rule's own examples, and the rule on made-up profiles. Returns a sentence on each. Throws Error(bad_input),
/// file and line in front, for what goes wrong.
std::vector<std::string> try_diagnosis(const SourceSet& sources, Limits limits);

}  // namespace harness::script
