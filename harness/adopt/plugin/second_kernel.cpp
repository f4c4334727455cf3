#include "harness/adopt/plugin/second_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <vector>

#include "harness/adopt/source/option_text.h"
#include "harness/core/error.h"

namespace harness::adopt {
namespace {

struct DeviceText {
  std::vector<std::string> includes;
  std::string body;
};

/// `#ifndef T`, `#define T 4`, `#endif` of the names in `set`, and every `#include`, are no part of the body.
DeviceText device_text(const std::string& source, const std::map<std::string, std::int64_t>& set) {
  DeviceText device;
  std::istringstream lines(source);
  int left_out = 0;  // lines of such a definition that are still to come
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> words = words_of(line);
    const bool guards = line.starts_with("#ifndef ") && words.size() > 1 && set.contains(words.back());
    if (guards) left_out = 3;
    if (left_out > 0) --left_out;
    else if (line.starts_with("#include")) device.includes.push_back(line);
    else device.body += line + "\n";
  }
  return device;
}

/// Two variables of one name would be filled once; a name of C is one function in all namespaces; a structure in a
/// namespace is another type than the host's.
void refuse_what_stands_once(const Source& source, const Chunk& launcher, const Declaration& kernel,
                             const SecondKernel& second) {
  const std::vector<std::string> words = words_of(second.source);
  const auto says = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
  const bool of_c = second.source.find("extern \"C\"") != std::string::npos ||
                    std::ranges::find(launcher.scopes, "extern \"C\"") != launcher.scopes.end();
  std::string what;
  if (says("__constant__")) what = "its __constant__ variables, which the host fills by name";
  if (of_c) what = "a kernel of extern \"C\"";
  for (const Parameter& parameter : kernel.parameters)
    for (const std::string& word : words_of(parameter.type))
      for (const Declaration& declaration : source.parsed.declarations)
        if (declaration.kind == Declaration::Kind::type && declaration.name == word && says(word))
          what = fmt::format("its own type '{}'", word);
  if (!what.empty()) throw bad_input(fmt::format("a second kernel beside the original cannot have {}", what));
}

/// The file's own definition of a macro again; "" of what is no macro there.
std::string macro_again(const SourceText& file, const std::string& name) {
  for (const Macro& macro : file.macros)
    if (macro.name == name) return std::string(trimmed(file.text.substr(macro.begin, macro.end - macro.begin))) + "\n";
  return "";
}

std::string kernel_text(const Source& source, const SecondKernel& second, const std::string& body) {
  const std::vector<std::string> words = words_of(second.source);
  std::string text = fmt::format("// Measured with harness on {}.\n", second.sizes), after;
  for (const auto& [name, value] : second.set) {
    if (second.source.find("#ifndef " + name + "\n") == std::string::npos) continue;
    text += fmt::format("#undef {}\n#define {} {}\n", name, name, value);
    after += fmt::format("#undef {}\n", name);
    for (const auto& file : source.files) after += macro_again(*file, name);
  }
  const std::size_t begin = body.find_first_not_of('\n');
  return text + fmt::format("namespace {} {{\n{}", second.space, begin == std::string::npos ? "" : body.substr(begin)) +
         fmt::format("}}  // namespace {}\n{}\n", second.space, after);
}

}  // namespace

std::string namespaces_of(const Source& source, const Declaration& kernel) {
  const Source::Place place = source.places[static_cast<std::size_t>(&kernel - source.parsed.declarations.data())];
  std::string names;
  for (std::size_t i = 0; place.chunk != nullptr && i < place.chunk->scopes.size(); ++i)
    if (const std::string& scope = place.chunk->scopes[i]; scope.starts_with("namespace "))
      if (const std::string_view name = trimmed(std::string_view(scope).substr(10)); !name.empty())
        names += std::string(name) + "::";
  return names;
}

std::string with_kernel_in_front(const Source& source, const SourceText& file, const std::string& text,
                                 const Chunk& launcher, const Declaration& kernel, const SecondKernel& second) {
  refuse_what_stands_once(source, launcher, kernel, second);
  const DeviceText original = device_text(second.original, second.set), device = device_text(second.source, second.set);
  std::string includes;
  for (const std::string& line : device.includes) {
    if (std::ranges::find(original.includes, line) != original.includes.end()) continue;
    if (line.find("harness/") != std::string::npos)
      throw bad_input(fmt::format("it needs '{}', a header that {} is not built with", line, shown_file(file.path)));
    if (text.find(line) == std::string::npos) includes += line + "\n";
  }
  std::string result = text;
  result.insert(launcher.comment, kernel_text(source, second, device.body));
  return includes + result;
}

}  // namespace harness::adopt
