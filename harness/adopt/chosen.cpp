#include "harness/adopt/chosen.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "harness/adopt/option_text.h"
#include "harness/core/error.h"
#include "harness/core/suggest.h"

namespace harness::adopt {

std::size_t index_of(const Source& source, const std::string& name) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < source.parsed.declarations.size(); ++i) {
    const Declaration& each = source.parsed.declarations[i];
    if (each.kernel && each.kind == Declaration::Kind::function && each.name == name && (!found || each.defined))
      found = i;
  }
  return *found;
}

namespace {

std::vector<std::string> kernels_of(const Source& source) {
  std::vector<std::string> names;
  for (const Declaration& each : source.parsed.declarations)
    if (each.kernel && each.kind == Declaration::Kind::function &&
        std::find(names.begin(), names.end(), each.name) == names.end())
      names.push_back(each.name);
  return names;
}

/// "; or a function that launches several: f, g"; "" where there is none.
std::string or_a_function(const Source& source) {
  const std::vector<std::string> functions = functions_of_several(source);
  return functions.empty() ? "" : fmt::format("; or a function that launches several: {}", fmt::join(functions, ", "));
}

}  // namespace

std::optional<Sequence> chosen_sequence(const Source& source, AdoptOptions& options) {
  if (options.entries.size() != 1) return std::nullopt;
  const std::vector<std::string> kernels = kernels_of(source);
  if (std::ranges::find(kernels, options.entries[0]) != kernels.end()) return std::nullopt;
  std::optional<Sequence> sequence = sequence_of(source, options.entries[0]);
  if (!sequence || sequence->only.empty()) return sequence;
  options.entries = {sequence->only};
  return std::nullopt;
}

std::string kernel_to_adopt(const Source& source, const AdoptOptions& options,
                            const std::vector<FoundLaunch>& launches) {
  const std::string file = shown_file(source.main().path);
  const std::vector<std::string> names = kernels_of(source);
  if (names.empty())
    throw bad_input(fmt::format("{} has no __global__ function; name the file that holds the kernel itself", file));
  if (options.entries.size() > 1)
    throw bad_input(
        "adopt takes one kernel at a time: a plugin has one contract; adopt the others by further commands");
  if (options.entries.size() == 1) {
    const std::string& asked = options.entries[0];
    if (std::find(names.begin(), names.end(), asked) != names.end()) return asked;
    throw bad_input(fmt::format("{} has no kernel '{}'{}; it has: {}{}", file, asked, did_you_mean(asked, names),
                                fmt::join(names, ", "), or_a_function(source)));
  }
  if (names.size() == 1) return names[0];
  std::vector<std::string> launched;
  for (const FoundLaunch& each : launches)
    if (std::find(names.begin(), names.end(), each.entry) != names.end() &&
        std::find(launched.begin(), launched.end(), each.entry) == launched.end())
      launched.push_back(each.entry);
  if (launched.size() == 1) return launched[0];
  throw bad_input(fmt::format("{} has {} kernels; name the one to adopt: harness adopt {} ENTRY, which is one of {}{}",
                              file, names.size(), file, fmt::join(names, ", "), or_a_function(source)));
}

void refuse_broken_signature(const Source& source, std::size_t index) {
  const Declaration& kernel = source.parsed.declarations[index];
  const Source::Found found = source.find(index);
  const std::string file = shown_file(kernel.file);
  if (found.chunk == nullptr)
    throw bad_input(
        fmt::format("{}: kernel '{}' is made by a macro that adopt cannot follow; write it out", file, kernel.name));
  if (found.chunk->body == found.chunk->end)
    throw bad_input(
        fmt::format("{}: kernel '{}' is only declared; name the file that holds its body", file, kernel.name));
  for (const Complaint& complaint : source.parsed.complaints)
    if (shown_file(complaint.file) == shown_file(found.file->path) && complaint.place >= found.chunk->begin &&
        complaint.place < found.chunk->body)
      throw bad_input(
          fmt::format("{}:{}: the signature of '{}' cannot be read: {}; put the header that declares it beside "
                      "the file, or write the type out",
                      file, line_of(found.file->text, complaint.place), kernel.name, complaint.text));
}

std::string qualified_name(const Source& source, std::size_t index) {
  const Source::Found found = source.find(index);
  std::string name;
  for (const std::string& scope : found.chunk->scopes) {
    const std::size_t at = scope.find("namespace ");
    if (at != std::string::npos) name += scope.substr(at + 10) + "::";
  }
  return name + source.parsed.declarations[index].name;
}

namespace {

/// "float*,int" of (const float* __restrict__ x, int n): what tells overloads apart.
std::string types_of(std::string_view text) {
  std::string types;
  for (const Token& each : tokens_of(text)) {
    if (each.is("const") || each.text.starts_with("__restrict")) continue;
    const bool apart = !types.empty() && each.is_word() && std::isalnum(static_cast<unsigned char>(types.back())) != 0;
    types += (apart ? " " : "") + std::string(each.text);
  }
  return types;
}

std::string types_of(const Declaration& kernel) {
  std::string types;
  for (const Parameter& each : kernel.parameters) types += (types.empty() ? "" : ",") + types_of(each.type);
  return types;
}

/// Kernels of one name and place that differ in their parameters.
std::vector<std::size_t> overloads_of(const Source& source, const std::string& name) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < source.parsed.declarations.size(); ++i) {
    const Declaration& each = source.parsed.declarations[i];
    if (each.kernel && each.kind == Declaration::Kind::function && each.name == name && source.find(i).chunk != nullptr)
      all.push_back(i);
  }
  return all;
}

}  // namespace

void refuse_overloads(const Source& source, std::size_t index) {
  const Declaration& kernel = source.parsed.declarations[index];
  const std::string name = qualified_name(source, index);
  std::vector<std::string> differ{fmt::format("'{}({})'", kernel.name, types_of(kernel))};
  for (const std::size_t i : overloads_of(source, kernel.name)) {
    const Declaration& other = source.parsed.declarations[i];
    if (i == index || !other.defined || other.templates.empty() != kernel.templates.empty() ||
        types_of(other) == types_of(kernel) || qualified_name(source, i) != name)
      continue;
    differ.push_back(fmt::format("'{}({})'", kernel.name, types_of(other)));
  }
  if (differ.size() > 1)
    throw bad_input(fmt::format("{} has several kernels '{}', which differ in their parameters; name one of them: {}",
                                shown_file(kernel.file), name, fmt::join(differ, ", ")));
}

std::optional<std::string> with_one_overload(const Source& source, AdoptOptions& options) {
  if (options.entries.size() != 1) return std::nullopt;
  const std::string asked = options.entries[0];
  const std::size_t open = asked.find('('), close = asked.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  const std::string name(trimmed(std::string_view(asked).substr(0, open)));
  const std::string types = types_of(std::string_view(asked).substr(open + 1, close - open - 1));
  const std::vector<std::size_t> all = overloads_of(source, name);
  std::vector<std::string> known;
  std::string text = source.main().text;
  bool found = false;
  for (const std::size_t i : all) {
    const std::string own = types_of(source.parsed.declarations[i]);
    known.push_back(fmt::format("{}({})", name, own));
    if (own == types) {
      found = true;
      continue;
    }
    const auto [file, chunk] = source.find(i);
    if (file != &source.main()) continue;
    for (std::size_t at = chunk->begin; at < chunk->end; ++at)
      if (text[at] != '\n') text[at] = ' ';
  }
  if (!found)
    throw bad_input(fmt::format("{} has no kernel '{}'; it has: {}", shown_file(source.main().path), asked,
                                known.empty() ? fmt::format("{}", fmt::join(kernels_of(source), ", "))
                                              : fmt::format("{}", fmt::join(known, ", "))));
  options.entries = {name};
  return text;
}

void note_of_templates(const std::vector<FoundLaunch>& launches, const Declaration& kernel,
                       std::vector<std::string>& notes) {
  std::vector<std::string> seen;
  for (const FoundLaunch& each : launches) {
    if (each.entry != kernel.name || each.templates.empty()) continue;
    const std::string written = fmt::format("{}<{}>", kernel.name, fmt::join(each.templates, ","));
    if (std::find(seen.begin(), seen.end(), written) == seen.end()) seen.push_back(written);
  }
  if (seen.size() < 2) return;
  std::string values;
  for (const TemplateParameter& each : kernel.templates)
    if (!each.type && values.empty()) values = fmt::format("; --tune {}=V,V makes a parameter of it", each.name);
  notes.push_back(fmt::format("the file launches {}: the first was taken{}", fmt::join(seen, " and "), values));
}

}  // namespace harness::adopt
