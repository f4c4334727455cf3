#include "harness/adopt/source/kernels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "harness/adopt/source/option_text.h"
#include "harness/core/error.h"

namespace harness::adopt {

std::size_t index_of(const Source& source, const std::string& name) {
  std::optional<std::size_t> index;
  for (std::size_t i = 0; i < source.parsed.declarations.size(); ++i) {
    const Declaration& declaration = source.parsed.declarations[i];
    if (declaration.kernel && declaration.kind == Declaration::Kind::function && declaration.name == name &&
        (!index || declaration.defined))
      index = i;
  }
  return *index;
}

std::string template_head(const Source::Place& function) {
  const std::string text(function.file->head_of(*function.chunk));
  const Tokens tokens = tokens_of(text);
  if (tokens.size() < 2 || !tokens[0].is("template") || !tokens[1].is("<")) return "";
  const std::size_t close = end_of_template(tokens, 1);
  return close < tokens.size() && tokens[close].is(">") ? text.substr(0, tokens[close].end) + "\n" : "";
}

std::string types_of(std::string_view parameters) {
  std::string types;
  for (const Token& token : tokens_of(parameters)) {
    if (token.is("const") || token.text.starts_with("__restrict")) continue;
    const bool apart = !types.empty() && token.is_word() && std::isalnum(static_cast<unsigned char>(types.back())) != 0;
    types += (apart ? " " : "") + std::string(token.text);
  }
  return types;
}

std::string types_of(const Declaration& kernel) {
  std::string types;
  for (const Parameter& parameter : kernel.parameters) types += (types.empty() ? "" : ",") + types_of(parameter.type);
  return types;
}

std::vector<std::size_t> overloads_of(const Source& source, const std::string& name) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < source.parsed.declarations.size(); ++i) {
    const Declaration& declaration = source.parsed.declarations[i];
    if (declaration.kernel && declaration.kind == Declaration::Kind::function && declaration.name == name &&
        source.places[i].chunk != nullptr)
      all.push_back(i);
  }
  return all;
}

void refuse_broken_signature(const Source& source, std::size_t index) {
  const Declaration& kernel = source.parsed.declarations[index];
  const Source::Place declared = source.places[index];
  const std::string file = shown_file(kernel.file);
  if (declared.chunk == nullptr)
    throw bad_input(
        fmt::format("{}: kernel '{}' is made by a macro that adopt cannot follow; write it out", file, kernel.name));
  if (declared.chunk->body == declared.chunk->end)
    throw bad_input(
        fmt::format("{}: kernel '{}' is only declared; name the file that holds its body", file, kernel.name));
  for (const Complaint& complaint : source.parsed.complaints)
    if (shown_file(complaint.file) == declared.file->name && complaint.place >= declared.chunk->begin &&
        complaint.place < declared.chunk->body && complaint.text.find("'curand") != std::string::npos)
      throw bad_input(fmt::format(
          "{}:{}: '{}' takes states of cuRAND, which is on no device here; pass the numbers that it draws as an array",
          file, line_of(declared.file->text, complaint.place), kernel.name));
    else if (shown_file(complaint.file) == declared.file->name && complaint.place >= declared.chunk->begin &&
             complaint.place < declared.chunk->body)
      throw bad_input(
          fmt::format("{}:{}: the signature of '{}' cannot be read: {}; put the header that declares it beside "
                      "the file, or write the type out",
                      file, line_of(declared.file->text, complaint.place), kernel.name, complaint.text));
}

void refuse_overloads(const Source& source, std::size_t index) {
  const Declaration& kernel = source.parsed.declarations[index];
  const std::string& name = kernel.qualified;
  std::vector<std::string> differ{fmt::format("'{}({})'", kernel.name, types_of(kernel))};
  for (const std::size_t i : overloads_of(source, kernel.name)) {
    const Declaration& other = source.parsed.declarations[i];
    if (i == index || !other.defined || other.templates.empty() != kernel.templates.empty() ||
        types_of(other) == types_of(kernel) || other.qualified != name)
      continue;
    differ.push_back(fmt::format("'{}({})'", kernel.name, types_of(other)));
  }
  if (differ.size() > 1)
    throw bad_input(fmt::format("{} has several kernels '{}', which differ in their parameters; name one of them: {}",
                                shown_file(kernel.file), name, fmt::join(differ, ", ")));
}

void refuse_unclosed(const Source& source) {
  const SourceText& main = source.main();
  for (const Complaint& complaint : source.parsed.complaints)
    if (shown_file(complaint.file) == main.name &&
        (complaint.text.starts_with("expected '}'") || complaint.text.starts_with("extraneous closing brace")))
      throw bad_input(fmt::format("{}:{}: {}; mend the file, which no compiler takes", main.name,
                                  line_of(main.text, complaint.place), complaint.text));
}

}  // namespace harness::adopt
