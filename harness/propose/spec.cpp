#include "harness/propose/spec.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/json.h"
#include "harness/propose/command_proposer.h"
#include "harness/propose/session_proposer.h"
#include "harness/system/files.h"
#include "harness/system/run_program.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

constexpr const char *kCommand = "command:", *kOpenai = "openai:", *kSession = "session:", *kPrices = "prices.json";

std::string program_path(const std::string& name, const std::vector<std::string>& folders) {
  if (name.find('/') == std::string::npos) {
    if (std::string found = find_program(name, folders); !found.empty()) return found;
    throw bad_input(fmt::format("--proposer: there is no program '{}' in PATH", name));
  }
  std::error_code failed;
  const fs::path path = fs::absolute(name, failed);
  if (!fs::is_regular_file(path, failed)) throw bad_input(fmt::format("--proposer: there is no program '{}'", name));
  if (access(path.c_str(), X_OK) != 0)
    throw bad_input(fmt::format("--proposer: '{}' is not executable; chmod +x it, or name its interpreter", name));
  return path.string();
}

/// "MODEL[@URL] OPTIONS" of a SPEC.
std::vector<std::string> words_of_endpoint(const std::string& spec) {
  std::vector<std::string> words = words_of(spec.substr(std::string(kOpenai).size()));
  if (words.empty()) words.emplace_back();
  return words;
}

/// "NAME=VALUE": harness gives it itself. It is no secret.
bool is_given(const std::string& variable) {
  return variable.find('=') != std::string::npos;
}

/// "--key NAME" of an endpoint's options: its key is in that variable, and it gets no other one. So of several
/// endpoints none learns the key of another.
void take_key(std::vector<std::string>& words, ProposerSetup& setup) {
  const auto at = std::ranges::find(words, "--key");
  if (at == words.end()) return;
  if (at + 1 == words.end()) throw bad_input("--proposer: '--key' names no variable");
  std::erase_if(setup.variables, [](const std::string& each) { return !is_given(each); });
  setup.variables.insert(setup.variables.begin(), *(at + 1));
  words.erase(at, at + 2);
}

/// "openai:MODEL[@URL] OPTIONS" as the program that speaks to it. The first named variable holds the key, if any is
/// named.
std::vector<std::string> endpoint_words(const std::string& spec, ProposerSetup& setup) {
  constexpr const char* kUsualKey = "OPENAI_API_KEY";
  std::vector<std::string> words = words_of_endpoint(spec);
  take_key(words, setup);
  const std::string rest = words.front();
  const std::size_t at = rest.rfind("@http");
  const std::string model = rest.substr(0, at);
  if (model.empty()) throw bad_input("--proposer: 'openai:' names no model; write 'openai:MODEL[@URL]'");
  const bool names_key = !setup.variables.empty() && !is_given(setup.variables.front());
  if (!names_key && setup.variable(kUsualKey)) setup.variables.insert(setup.variables.begin(), kUsualKey);
  const std::string url = at == std::string::npos ? "https://api.openai.com/v1" : rest.substr(at + 1);
  std::vector<std::string> command{
      "propose-openai", model, url,
      setup.variables.empty() || is_given(setup.variables.front()) ? kUsualKey : setup.variables.front()};
  command.insert(command.end(), words.begin() + 1, words.end());
  return command;
}

/// The entry of the model's name, or of its name without the day that ends it ("gpt-5-2025-08-07").
std::optional<TokenPrice> price_in(const json& models, const std::string& model, const std::string& file) {
  std::string best;
  for (const auto& [name, price] : models.items())
    if (model == name || model.starts_with(name + "-20")) best = name;
  if (best.empty()) return std::nullopt;
  const json& entry = models[best];
  const auto dollars = [&](const char* key, std::optional<double> otherwise) {
    const auto at = entry.is_object() ? entry.find(key) : entry.end();
    if (entry.is_object() && at == entry.end() && otherwise) return *otherwise;
    if (!entry.is_object() || at == entry.end() || !at->is_number() || at->get<double>() < 0)
      throw bad_input(fmt::format("{}: '{}' has no price '{}', US dollars for a million tokens", file, best, key));
    return at->get<double>();
  };
  const double in = dollars("in", std::nullopt);
  return TokenPrice{in, dollars("out", std::nullopt), dollars("cached", in)};
}

}  // namespace

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  bool within = false;
  char quote = 0;
  for (const char c : line) {
    if (quote != 0 && c == quote) quote = 0;
    else if (quote != 0) word += c;
    else if (c == '\'' || c == '"') quote = c, within = true;
    else if (c == ' ' || c == '\t') {
      if (within) words.push_back(std::exchange(word, ""));
      within = false;
    } else word += c, within = true;
  }
  if (quote != 0) throw bad_input(fmt::format("--proposer: a quote is not closed in '{}'", line));
  if (within) words.push_back(word);
  return words;
}

std::optional<TokenPrice> listed_price(const std::string& named, const std::vector<std::string>& program_folders) {
  const std::string spec = unnamed(named);
  if (!spec.starts_with(kOpenai)) return std::nullopt;
  const std::string endpoint = words_of_endpoint(spec).front();
  std::string model = endpoint.substr(0, endpoint.rfind("@http"));
  model = model.substr(model.rfind('/') + 1);  // "vendor/model" of a market is the vendor's model
  for (const std::string& folder : program_folders) {
    const std::string file = folder + "/" + kPrices;
    const auto text = read_file_if_any(file);
    if (!text) continue;
    const json listed = parse_json_if_valid(*text);
    if (!listed.is_object() || !listed.contains("models") || !listed["models"].is_object())
      throw bad_input(fmt::format("{} is no object with 'models'", file));
    if (auto price = price_in(listed["models"], model, file)) return price;
  }
  return std::nullopt;
}

std::unique_ptr<Proposer> make_proposer(const std::string& named, ProposerSetup setup) {
  const std::string spec = unnamed(named);
  const bool is_endpoint = spec.starts_with(kOpenai), stays = spec.starts_with(kSession);
  if (!is_endpoint && !stays && !spec.starts_with(kCommand))
    throw bad_input(
        fmt::format("--proposer: '{}' is no proposer; write 'command:PROGRAM ARGS', 'session:PROGRAM ARGS' or "
                    "'openai:MODEL[@URL] OPTIONS', 'NAME=' before it to name it",
                    named));
  CommandSetup command;
  command.spec = named;
  command.arguments = is_endpoint ? endpoint_words(spec, setup) : words_of(spec.substr(spec.find(':') + 1));
  if (command.arguments.empty()) throw bad_input(fmt::format("--proposer: '{}' names no program", spec));
  command.arguments.front() = program_path(command.arguments.front(), setup.program_folders);
  for (const char* usual : {"PATH", "HOME", "USER", "LANG", "TMPDIR"})
    if (const auto value = setup.variable(usual)) command.environment.push_back(std::string(usual) + "=" + *value);
  for (const std::string& name : setup.variables) {
    if (is_given(name)) {
      command.environment.push_back(name);
      continue;
    }
    const auto value = setup.variable(name);
    if (!value) throw bad_input(fmt::format("--proposer-env: the variable '{}' is not set", name));
    command.environment.push_back(name + "=" + *value);
    command.secrets.push_back(*value);
  }
  if (stays) return std::make_unique<SessionProposer>(std::move(command));
  return std::make_unique<CommandProposer>(std::move(command));
}

}  // namespace harness
