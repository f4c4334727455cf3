#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/proposal.h"

namespace harness {

/// What a proposer may be given besides its request.
struct ProposerSetup {
  /// Names of environment variables that it needs (a key, say). Their values go to its process and nowhere else. Or
  /// "NAME=VALUE", which is no secret.
  std::vector<std::string> variables;
  /// The value of a variable of this process; nothing where it is not set.
  std::function<std::optional<std::string>(const std::string&)> variable;
  std::vector<std::string> program_folders;  // where shipped proposer programs lie, besides PATH
};

/// The proposer of a SPEC, "NAME=" before it or not: "command:PROGRAM ARGS", "session:PROGRAM ARGS", or
/// "openai:MODEL[@URL] OPTIONS", which is propose-openai with them. Throws Error(bad_input) for an unknown kind, for a
/// program that is not there and for a variable that is not set, naming it.
std::unique_ptr<Proposer> make_proposer(const std::string& spec, ProposerSetup setup);

/// What tokens of the model of an "openai:" SPEC cost, by the first prices.json of these folders that lists it.
/// Nothing: none does. Throws Error(bad_input) for a file that is no list of prices.
std::optional<TokenPrice> listed_price(const std::string& spec, const std::vector<std::string>& program_folders);

/// The words of a command line: blanks separate them, 'single' and "double" quotes hold them together. No shell reads
/// it. Throws Error(bad_input) for a quote that is not closed.
std::vector<std::string> words_of(const std::string& line);

}  // namespace harness
