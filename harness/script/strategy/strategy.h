#pragma once
#include <memory>
#include <string>
#include <vector>

#include "harness/core/strategy.h"
#include "harness/script/sandbox/sandbox.h"
#include "harness/script/strategy/library_source.h"

namespace harness::script {

/// A strategy written in Lua (strategies/README.md). Every decision is made in a fresh sandbox from the sources as they
/// were read at the start, so that it depends on nothing but the snapshot: a script cannot remember, only look.
class LuaStrategy : public Strategy {
 public:
  /// Throws Error(bad_input) with file and line when the script does not load.
  explicit LuaStrategy(SourceSet sources, Limits limits = {});

  ScriptIdentity identity() const override { return identity_; }
  Decision decide(const Snapshot& snapshot) override;
  std::vector<RuleState> rules(const Snapshot& snapshot) override;
  /// From now on reading a field that snapshots do not have is an error that suggests the nearest.
  void refuse_unknown_fields() { strict_ = true; }
  /// What the script printed in its last decision.
  const std::vector<std::string>& messages() const { return messages_; }

 private:
  json ask(const char* function, const Snapshot& snapshot, const char* what);

  SourceSet sources_;
  Limits limits_;
  ScriptIdentity identity_;
  bool strict_ = false;
  std::vector<std::string> messages_;
};

}  // namespace harness::script
