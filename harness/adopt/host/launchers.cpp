#include "harness/adopt/host/launchers.h"

#include <algorithm>
#include <map>
#include <set>

namespace harness::adopt {
namespace {

using Names = std::map<std::string, Tokens, std::less<>>;  // of a launcher -> what a call gives them

bool is_number_of(const HostLaunch& launch, const std::string& name) {
  const std::vector<Tokens>& values = launch.values_of(name);
  return values.size() > 1 && std::ranges::all_of(values, [](const Tokens& value) {
           return value.size() == 1 && value[0].kind == Token::Kind::number;
         });
}

/// A word that is a name by itself, and no member of something.
bool stands_alone(const Tokens& tokens, std::size_t i) {
  return tokens[i].is_word() &&
         (i == 0 || !(tokens[i - 1].is(".") || tokens[i - 1].is("->") || tokens[i - 1].is("::")));
}

/// Its statements in braces, with what a call gives in the place of its parameters.
class Launcher {
 public:
  explicit Launcher(const HostFunction& function) : function_(function) {}

  /// May its statements stand where it is called? They neither return nor change what they are given.
  bool may_stand_elsewhere() const {
    const Tokens& tokens = function_.tokens();
    for (std::size_t i = function_.body().begin; i < function_.body().end; ++i) {
      if (tokens[i].is("return") || tokens[i].kind == Token::Kind::directive) return false;
      const bool given = stands_alone(tokens, i) && function_.parameter(tokens[i].text) != nullptr;
      const Token& next = tokens[std::min(i + 1, tokens.size() - 1)];
      if (given && (next.is("=") || next.is("++") || next.is("--") ||
                    (next.text.size() == 2 && next.text[1] == '=' && !next.is("==") && !next.is("!=") &&
                     !next.is("<=") && !next.is(">="))))
        return false;
    }
    return true;
  }

  /// The text for a call; nothing: it passes other things than there are parameters, or names of variables inside.
  std::optional<std::string> written_out(const std::vector<Tokens>& templates,
                                         const std::vector<Tokens>& arguments) const {
    if (templates.size() != function_.templates().size() || arguments.size() != function_.parameters().size())
      return std::nullopt;
    Names names;
    for (std::size_t i = 0; i < templates.size(); ++i) names[function_.templates()[i]] = templates[i];
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      for (const Token& word : arguments[i])
        if (is_own(word)) return std::nullopt;
      names[function_.parameters()[i].name] = arguments[i];
    }
    return "{ " + with_names(names) + " }";
  }

  const HostFunction& function() const { return function_; }

 private:
  bool is_own(const Token& word) const {
    if (!word.is_word()) return false;
    const auto settings = function_.settings_of(word.text, function_.body().end);
    return !settings.empty() && settings.back().declaration;
  }

  std::string with_names(const Names& names) const {
    const Tokens& tokens = function_.tokens();
    std::string text;
    for (std::size_t i = function_.body().begin; i < function_.body().end; ++i) {
      text += tokens[i].spaced ? " " : "";
      const auto name = stands_alone(tokens, i) ? names.find(tokens[i].text) : names.end();
      if (name == names.end()) text += tokens[i].text;
      else text += name->second.size() == 1 ? std::string(name->second[0].text) : texts_of(name->second);
    }
    return text;
  }

  /// An argument, in parentheses where it is more than a name with members: `(n + 1)`, but `x.data_ptr<float>()`.
  static std::string texts_of(const Tokens& tokens) {
    std::string text;
    bool computes = false;
    for (const Token& token : tokens) {
      text += (token.spaced && !text.empty() ? " " : "") + std::string(token.text);
      computes = computes || token.is("+") || token.is("-") || token.is("/") || token.is("*") || token.is("?");
    }
    return computes ? "(" + text + ")" : text;
  }

  const HostFunction& function_;
};

/// Of all calls `launch<64>(x, n);` that are statements; empty: one of them is something else.
std::vector<TextEdit> edits_of_calls(const Launcher& launcher, const SourceText& file) {
  std::vector<TextEdit> edits;
  const Tokens& tokens = file.tokens;
  const HostFunction& function = launcher.function();
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is(function.name()) || !tokens[i + 1].is("<")) continue;
    const std::size_t angle = end_of_template(tokens, i + 1), open = angle + 1;
    if (open >= tokens.size() || !tokens[open].is("(")) return {};
    const std::size_t close = closing(tokens, open);
    const Token& before = tokens[i - 1];
    const bool begins =
        before.is(";") || before.is("{") || before.is("}") || before.is(")") || before.is("else") || before.is(":");
    if (!begins || close + 1 >= tokens.size() || !tokens[close + 1].is(";")) return {};
    std::vector<Tokens> arguments = split_by_commas(part(tokens, open + 1, close));
    if (arguments.size() == 1 && arguments[0].empty()) arguments.clear();
    const auto text = launcher.written_out(split_by_commas(part(tokens, i + 2, angle), true), arguments);
    if (!text) return {};
    edits.push_back({tokens[i].begin, tokens[close + 1].end, *text});
  }
  return edits;
}

/// Blanks that keep the lines.
std::string without_words(std::string text) {
  for (char& c : text)
    if (c != '\n') c = ' ';
  return text;
}

}  // namespace

std::optional<std::string> with_launchers_written_out(const Source& source) {
  const SourceText& file = source.main();
  std::vector<TextEdit> edits;
  std::set<const Chunk*> looked_at;
  for (const HostLaunch& launch : source.launches) {
    if (launch.file != &file || launch.chunk == nullptr || !looked_at.insert(launch.chunk).second) continue;
    const HostFunction* const function = launch.function.get();
    if (function == nullptr) continue;
    const Launcher launcher(*function);
    const bool varies =
        std::ranges::any_of(function->templates(), [&](const std::string& name) { return is_number_of(launch, name); });
    if (!varies || !launcher.may_stand_elsewhere()) continue;
    const std::vector<TextEdit> calls = edits_of_calls(launcher, file);
    if (calls.empty()) continue;
    const Chunk& own = *launch.chunk;
    edits.push_back({own.begin, own.end, without_words(file.text.substr(own.begin, own.end - own.begin))});
    edits.insert(edits.end(), calls.begin(), calls.end());
  }
  if (edits.empty()) return std::nullopt;
  std::ranges::sort(edits, std::greater<>(), &TextEdit::begin);
  for (std::size_t i = 0; i + 1 < edits.size(); ++i)  // one launcher calls another: the next time
    if (edits[i + 1].end > edits[i].begin) return std::nullopt;
  return edited(file.text, std::move(edits));
}

}  // namespace harness::adopt
