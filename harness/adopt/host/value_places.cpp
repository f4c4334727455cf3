#include "harness/adopt/host/value_places.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "harness/adopt/source/tokens.h"

namespace harness::adopt {
namespace {

using Places = std::vector<ValuePlace>;

void append(Places& places, const Places& more) {
  places.insert(places.end(), more.begin(), more.end());
}

ValuePlace span(const SourceText& file, const std::vector<Token>& tokens) {
  return {&file, tokens.front().begin, tokens.back().end};
}

Places of_macros(const SourceText& file, const std::string& name) {
  Places places;
  for (const Macro& macro : file.macros) {
    if (macro.name != name) continue;
    const std::size_t at = file.text.find(name, macro.begin);
    if (at == std::string::npos || at >= macro.end) continue;
    std::size_t begin = at + name.size(), end = macro.end;
    while (begin < end && (file.text[begin] == ' ' || file.text[begin] == '\t')) ++begin;
    end = std::min({end, file.text.find("//", begin), file.text.find("/*", begin)});
    while (end > begin && std::isspace(static_cast<unsigned char>(file.text[end - 1])) != 0) --end;
    places.push_back({&file, begin, end});
  }
  return places;
}

/// What is assigned from token `first` on.
Places of_value(const SourceText& file, std::size_t first) {
  const std::size_t end = end_of_value(file.tokens, first);
  if (end == first) return {};
  return {{&file, file.tokens[first].begin, file.tokens[end - 1].end}};
}

/// `constexpr int NAME = ...;` outside of functions.
Places of_constants(const SourceText& file, const std::string& name) {
  Places places;
  for (const Chunk& chunk : file.chunks) {
    if (chunk.body != chunk.end) continue;
    for (std::size_t i = 0; i + 2 < file.tokens.size(); ++i) {
      const Token& token = file.tokens[i];
      if (token.begin >= chunk.begin && token.end <= chunk.end && token.is(name) && file.tokens[i + 1].is("="))
        append(places, of_value(file, i + 2));
    }
  }
  return places;
}

Places of_files(const Source& source, const std::string& name) {
  Places places;
  for (const auto& file : source.files) {
    append(places, of_macros(*file, name));
    append(places, of_constants(*file, name));
  }
  return places;
}

/// A variable of the host's function, or the uses of a parameter of it.
Places of_variable(const HostLaunch& launch, const std::string& name) {
  if (launch.chunk == nullptr) return {};
  const std::vector<Token>& tokens = launch.file->tokens;
  for (std::size_t i = tokens.size() - 1; i-- > 1;) {
    if (tokens[i].begin >= launch.place || tokens[i].begin < launch.chunk->body || !tokens[i].is(name)) continue;
    if (tokens[i - 1].is(".") || tokens[i - 1].is("->") || !tokens[i + 1].is("=")) continue;
    return of_value(*launch.file, i + 2);
  }
  bool parameter = false;
  Places uses;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (tokens[i].begin < launch.chunk->begin || tokens[i].end > launch.chunk->end || !tokens[i].is(name)) continue;
    if (tokens[i].begin < launch.chunk->body) parameter = true;
    else if (parameter && !tokens[i - 1].is(".") && !tokens[i - 1].is("->") && !tokens[i - 1].is("::"))
      uses.push_back({launch.file, tokens[i].begin, tokens[i].end});
  }
  return uses;
}

Places of_template(const Source& source, const HostLaunch& launch, std::size_t place, const std::string& name) {
  if (place >= launch.template_tokens.size()) return {};
  // An argument that is the host's constant of the same name may stand in <<<>>> too: its definition changes.
  const std::vector<Token>& argument = launch.template_tokens[place];
  if (argument.size() == 1 && argument[0].is(name)) {
    if (Places places = of_variable(launch, name); !places.empty()) return places;
    if (Places places = of_files(source, name); !places.empty()) return places;
  }
  return {span(*launch.file, argument)};
}

}  // namespace

std::vector<ValuePlace> value_places(const Source& source, const Declaration* kernel,
                                     const std::vector<HostLaunch>& launches, const std::string& name) {
  Places places;
  for (std::size_t i = 0; kernel != nullptr && i < kernel->templates.size(); ++i) {
    if (kernel->templates[i].name != name || kernel->templates[i].type) continue;
    for (const HostLaunch& launch : launches) {
      const Places here = of_template(source, launch, i, name);
      if (here.empty()) return {};
      append(places, here);
    }
    return places;
  }
  places = of_files(source, name);
  if (!places.empty()) return places;
  for (const HostLaunch& launch : launches) append(places, of_variable(launch, name));
  if (places.empty() && name == "block" && kernel != nullptr)
    for (const HostLaunch& launch : launches)
      if (launch.configuration.size() > 1) places.push_back(span(*launch.file, launch.configuration[1]));
  return places;
}

std::optional<std::int64_t> value_at(const std::vector<ValuePlace>& places) {
  std::optional<std::int64_t> value;
  for (const ValuePlace& place : places) {
    const char* const begin = place.file->text.data() + place.begin;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(begin, place.file->text.data() + place.end, number);
    if (error != std::errc() || end != place.file->text.data() + place.end || (value && *value != number))
      return std::nullopt;
    value = number;
  }
  return value;
}

}  // namespace harness::adopt
