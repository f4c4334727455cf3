#include "harness/adopt/constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "harness/adopt/chosen.h"
#include "harness/core/dtype.h"
#include "harness/core/error.h"

namespace harness::adopt {
namespace {

/// The names in the first argument of every call of one of these, `place` behind the opening bracket: c of
/// (ns::c, host, bytes), ("c", ...) and (&c, ...).
std::set<std::string> symbols_given_to(const Source& source, std::initializer_list<const char*> calls,
                                       std::size_t place) {
  std::set<std::string> names;
  for (const auto& file : source.files) {
    const std::vector<Token>& tokens = file->tokens;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (std::ranges::none_of(calls, [&](const char* call) { return tokens[i].is(call); })) continue;
      std::size_t open = i + 1;
      while (open < tokens.size() && !tokens[open].is("(") && !tokens[open].is(";")) ++open;  // a template's argument
      const std::size_t end = closing(tokens, open);
      std::size_t argument = 0;
      std::string last;
      for (std::size_t k = open + 1; k < end; ++k) {
        if (tokens[k].is("(") || tokens[k].is("[")) {
          k = closing(tokens, k);
          continue;
        }
        if (tokens[k].is(",") && argument++ == place) break;
        if (argument != place) continue;
        if (tokens[k].is_word()) last = tokens[k].text;
        else if (tokens[k].text.starts_with('"')) last = tokens[k].text.substr(1, tokens[k].text.size() - 2);
      }
      if (!last.empty()) names.insert(last);
    }
  }
  return names;
}

/// A variable's type in parts: "float" and 3, 3 of "float[3][3]".
struct Elements {
  std::string type;
  std::vector<std::int64_t> extents;
};

Elements elements_of(const std::string& type) {
  Elements made;
  const std::size_t bracket = type.find('[');
  made.type = std::string(trimmed(std::string_view(type).substr(0, bracket)));
  for (std::size_t at = bracket; at != std::string::npos && at < type.size(); at = type.find('[', at + 1)) {
    std::int64_t extent = 0;
    std::from_chars(type.data() + at + 1, type.data() + type.size(), extent);
    made.extents.push_back(extent);
  }
  return made;
}

std::string where(const Source& source, std::size_t index) {
  const Source::Found found = source.find(index);
  return fmt::format("{}:{}", std::filesystem::path(found.file->path).filename().string(),
                     line_of(found.file->text, source.parsed.declarations[index].place));
}

/// Why the variable is no argument; "" where it can be one.
std::string unfit(const Source& source, const Declaration& variable, const Elements& elements) {
  if (!filled_symbols(source).contains(variable.name)) {
    if (symbols_given_to(source, {"cudaGetSymbolAddress"}, 1).contains(variable.name))
      return "is filled by its address (cudaGetSymbolAddress); fill it with cudaMemcpyToSymbol, or pass it as a "
             "parameter";
    return "is never filled in the files that are read (cudaMemcpyToSymbol); name the file that fills it, or pass it "
           "as a parameter";
  }
  int lanes = 1;
  const auto dtype = dtype_of_type(elements.type, &lanes);
  if (!dtype)
    return fmt::format("is of the type {} in __constant__ memory; numbers and arrays of numbers can be filled there",
                       elements.type);
  if (elements.extents.empty() && lanes == 1 && !is_floating(*dtype))
    return "is one whole number in __constant__ memory, and nothing says what sizes it must suit; pass it as a "
           "parameter";
  if (std::ranges::any_of(elements.extents, [](std::int64_t extent) { return extent < 1; }))
    return "has no length that can be read";
  return "";
}

}  // namespace

std::set<std::string> filled_symbols(const Source& source) {
  return symbols_given_to(source, {"cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync"}, 0);
}

bool has_initializer(const Source& source, std::size_t index) {
  const Source::Found found = source.find(index);
  const std::vector<Token>& tokens = found.file->tokens;
  const std::size_t place = source.parsed.declarations[index].place;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].begin < place) continue;
    if (tokens[i].is("[")) i = closing(tokens, i);
    else if (tokens[i].is("=") || tokens[i].is("{")) return true;
    else if (tokens[i].is(";") || tokens[i].is(",")) return false;
  }
  return false;
}

void add_constants(AdoptedKernel& kernel, const Source& source, const std::vector<std::size_t>& constants) {
  for (const std::size_t index : constants) {
    const Declaration& variable = source.parsed.declarations[index];
    const Parameter declared = variable.parameters.empty() ? Parameter{} : variable.parameters.front();
    const Elements elements = elements_of(declared.resolved);
    if (const std::string why = unfit(source, variable, elements); !why.empty())
      throw bad_input(fmt::format("{}: the kernel needs '{}', which {}", where(source, index), variable.name, why));
    AdoptedParameter made;
    const bool taken =
        std::ranges::find(kernel.parameters, variable.name, &AdoptedParameter::name) != kernel.parameters.end();
    made.name = taken ? variable.name + "_constant" : variable.name;
    made.symbol = qualified_name(source, index);
    made.dtype = *dtype_of_type(elements.type, &made.lanes);
    made.role = "input";
    made.answered = made.declared_read_only = true;
    made.evidence =
        fmt::format("{}: __constant__, filled by the host; as large as it is declared", where(source, index));
    for (const std::int64_t extent : elements.extents) made.shape.push_back(number(static_cast<double>(extent)));
    if (made.lanes > 1 || made.shape.empty()) made.shape.push_back(number(made.lanes));
    Parameter as_pointer;
    as_pointer.name = made.name;
    as_pointer.pointee = as_pointer.resolved = elements.type;
    as_pointer.read_only = true;
    kernel.parameters.push_back(std::move(made));
    kernel.declaration.parameters.push_back(std::move(as_pointer));
  }
}

}  // namespace harness::adopt
