#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/proposal.h"
#include "harness/script/sandbox/sandbox.h"
#include "harness/script/strategy/source.h"

namespace harness::script {

/// A prompt that is made of a request: Markdown with holes of Lua. `{{ expression }}` leaves its value, nothing for
/// nil; `{% statements %}` leaves nothing, and no empty line where it stands alone on one. Lua sees `request`, and
/// `fence(text, language)` and `inline(value)`, which write a block of code and a value on one line. It runs in the
/// sandbox.
class PromptTemplate {
 public:
  /// Throws Error(bad_input), file and line in front, for a hole that is not closed.
  explicit PromptTemplate(Source source, Limits limits = {});
  /// Throws Error(bad_input), file and line in front, for what goes wrong in a hole.
  std::string render(const json& request) const;
  const std::string& name() const { return name_; }

 private:
  std::string name_, chunk_;
  Limits limits_;
};

/// The template "prompt.md" of the first folder that has one; nothing where none has.
std::optional<PromptTemplate> find_prompt(const std::vector<std::filesystem::path>& proposer_folders);

/// The proposer gets each request with one key more, `prompt`: the text that the template makes of it. It stands in the
/// log of the answer too, so that the record has all that was asked. What a template does wrong fails the request.
std::unique_ptr<Proposer> with_prompt(std::unique_ptr<Proposer> proposer, PromptTemplate prompt);

}  // namespace harness::script
