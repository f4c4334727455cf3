#pragma once
#include <filesystem>
#include <vector>

#include "harness/core/playbook.h"
#include "harness/script/sandbox/sandbox.h"
#include "harness/script/strategy/pattern_page.h"

namespace harness::script {

/// The pages of the playbook folders. Each is run in a sandbox of its own, and its own examples have to behave as it
/// says before it counts as read.
class LuaPlaybook : public Playbook {
 public:
  explicit LuaPlaybook(std::vector<std::filesystem::path> folders, Limits limits = {});

  std::vector<Pattern> patterns() override;
  Pattern pattern(const std::string& id_or_name) override;
  std::vector<AppliedPattern> applying(const Snapshot& snapshot) override;

 private:
  Pattern read(const Source& file) const;

  std::vector<std::filesystem::path> folders_;
  Limits limits_;
};

}  // namespace harness::script
