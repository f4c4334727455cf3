#include "harness/adopt/source/host_calls.h"

#include <algorithm>

namespace harness::adopt {

std::string dispatch_around(const Tokens& tokens, std::size_t at) {
  for (std::size_t i = at; i-- > 0;) {
    if (!tokens[i].is_word()) continue;
    const bool dispatch =
        tokens[i].text.find("DISPATCH_") != std::string_view::npos && i + 1 < tokens.size() && tokens[i + 1].is("(");
    if (!dispatch || tokens[i].is(kDispatchOfIndices) || closing(tokens, i + 1) < at) continue;
    std::string text;
    for (std::size_t k = i; k < at && !tokens[k].is("["); ++k) text += tokens[k].text;
    return text;
  }
  return "";
}

namespace {

/// Once: arguments that are spelled alike are one value.
void add_argument(std::vector<Tokens>& values, const Tokens& argument) {
  const std::string text = spelled(argument);
  if (std::ranges::none_of(values, [&](const Tokens& value) { return spelled(value) == text; }))
    values.push_back(argument);
}

}  // namespace

TemplateCalls template_calls(const std::vector<std::unique_ptr<SourceText>>& files, const HostFunction& function) {
  TemplateCalls calls;
  const std::vector<std::string>& names = function.templates();
  for (const auto& file : files) {
    const Tokens& tokens = file->tokens;
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
      if (!tokens[i].is(function.name()) || !tokens[i + 1].is("<")) continue;
      if (calls.dispatch.empty()) calls.dispatch = dispatch_around(tokens, i);
      const std::size_t close = end_of_template(tokens, i + 1);
      if (close + 1 >= tokens.size() || !tokens[close + 1].is("(")) continue;
      const std::vector<Tokens> arguments = split_by_commas(part(tokens, i + 2, close), true);
      for (std::size_t k = 0; k < std::min(names.size(), arguments.size()); ++k)
        add_argument(calls.values[names[k]], arguments[k]);
    }
  }
  return calls;
}

}  // namespace harness::adopt
