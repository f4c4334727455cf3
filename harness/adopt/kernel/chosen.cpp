#include "harness/adopt/kernel/chosen.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/adopt/source/functions.h"
#include "harness/adopt/source/kernels.h"
#include "harness/adopt/source/option_text.h"
#include "harness/core/error.h"
#include "harness/core/suggest.h"

namespace harness::adopt {
namespace {

/// "; or a function that launches several: f, g"; "" where there is none.
std::string or_a_function(const Source& source) {
  const std::vector<std::string> functions = functions_of_several(source);
  return functions.empty() ? "" : fmt::format("; or a function that launches several: {}", fmt::join(functions, ", "));
}

/// `#ifdef USE_CUDA`: the first directive of a condition in front of the first word __global__; "": there is none.
std::string condition_of_kernels(const SourceText& file) {
  std::string condition;
  for (const Token& token : file.tokens) {
    const bool directive = token.kind == Token::Kind::directive;
    if (directive && condition.empty() && token.text.starts_with("#if")) condition = std::string(trimmed(token.text));
    if (directive && token.text.starts_with("#endif")) condition.clear();
    if (token.is("__global__")) return condition;
  }
  return "";
}

}  // namespace

std::optional<Sequence> chosen_sequence(const Source& source, AdoptOptions& options) {
  if (options.entries.size() != 1) return std::nullopt;
  const std::vector<std::string>& kernels = source.kernels;
  if (std::ranges::find(kernels, options.entries[0]) != kernels.end()) return std::nullopt;
  std::optional<Sequence> sequence = sequence_of(source, options.entries[0]);
  if (!sequence || sequence->only.empty()) return sequence;
  options.entries = {sequence->only};
  return std::nullopt;
}

std::string kernel_to_adopt(const Source& source, const AdoptOptions& options) {
  const std::string file = source.main().name;
  const std::vector<std::string>& names = source.kernels;
  if (names.empty())
    if (const std::string condition = condition_of_kernels(source.main()); !condition.empty())
      throw bad_input(fmt::format("the kernels of {} stand behind '{}', which does not hold; give -D NAME=VALUE of it",
                                  file, condition));
  if (names.empty())
    throw bad_input(fmt::format("{} has no __global__ function; name the file that holds the kernel itself", file));
  if (options.entries.size() > 1)
    throw bad_input(
        "adopt takes one kernel at a time: a plugin has one contract; adopt the others by further commands");
  if (options.entries.size() == 1) {
    const std::string& entry = options.entries[0];
    if (std::find(names.begin(), names.end(), entry) != names.end()) return entry;
    throw bad_input(fmt::format("{} has no kernel '{}'{}; it has: {}{}", file, entry, did_you_mean(entry, names),
                                fmt::join(names, ", "), or_a_function(source)));
  }
  if (names.size() == 1) return names[0];
  std::vector<std::string> launched;
  for (const HostLaunch& launch : source.launches)
    if (std::find(names.begin(), names.end(), launch.entry) != names.end() &&
        std::find(launched.begin(), launched.end(), launch.entry) == launched.end())
      launched.push_back(launch.entry);
  if (launched.size() == 1) return launched[0];
  throw bad_input(fmt::format("{} has {} kernels; name the one to adopt: harness adopt {} ENTRY, which is one of {}{}",
                              file, names.size(), file, fmt::join(names, ", "), or_a_function(source)));
}

const HostLaunch* launch_of(const Source& source, std::size_t kernel, int line) {
  const std::string& entry = source.parsed.declarations[kernel].name;
  std::vector<std::string> lines;
  for (const HostLaunch& launch : source.launches) {
    if (launch.entry != entry) continue;
    if (line == 0 || line == launch.line) return &launch;
    lines.push_back(fmt::format("{}", launch.line));
  }
  if (line > 0 && !lines.empty())
    throw bad_input(fmt::format("--launch {}: no launch of {} stands at that line; they stand at {}", line, entry,
                                fmt::join(lines, ", ")));
  const HostLaunch* through = nullptr;
  const std::size_t parameters = source.parsed.declarations[kernel].parameters.size();
  for (const HostLaunch& launch : source.launches) {
    const bool is_kernel = std::ranges::any_of(source.parsed.declarations, [&](const Declaration& declaration) {
      return declaration.kernel && declaration.name == launch.entry;
    });
    if (is_kernel || launch.arguments.size() != parameters) continue;
    if (through != nullptr) return nullptr;
    through = &launch;
  }
  return through;
}

std::optional<std::string> with_one_overload(const Source& source, AdoptOptions& options) {
  if (options.entries.size() != 1) return std::nullopt;
  const std::string entry = options.entries[0];
  const std::size_t open = entry.find('('), close = entry.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  const std::string name(trimmed(std::string_view(entry).substr(0, open)));
  const std::string types = types_of(std::string_view(entry).substr(open + 1, close - open - 1));
  const std::vector<std::size_t> all = overloads_of(source, name);
  std::vector<std::string> signatures;
  std::string text = source.main().text;
  bool matches = false;
  for (const std::size_t i : all) {
    const std::string own = types_of(source.parsed.declarations[i]);
    signatures.push_back(fmt::format("{}({})", name, own));
    if (own == types) {
      matches = true;
      continue;
    }
    const auto [file, chunk] = source.places[i];
    if (file != &source.main()) continue;
    for (std::size_t at = chunk->begin; at < chunk->end; ++at)
      if (text[at] != '\n') text[at] = ' ';
  }
  if (!matches)
    throw bad_input(fmt::format("{} has no kernel '{}'; it has: {}", source.main().name, entry,
                                signatures.empty() ? fmt::format("{}", fmt::join(source.kernels, ", "))
                                                   : fmt::format("{}", fmt::join(signatures, ", "))));
  options.entries = {name};
  return text;
}

}  // namespace harness::adopt
