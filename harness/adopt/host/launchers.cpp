#include "harness/adopt/host/launchers.h"

#include <algorithm>
#include <map>
#include <set>

#include "harness/adopt/host/host_function.h"
#include "harness/adopt/source/launch.h"
#include "harness/adopt/source/token_lists.h"

namespace harness::adopt {
namespace {

using Names = std::map<std::string, Tokens, std::less<>>;  // of a launcher -> what a call gives them

/// The names of `template <typename T, int BLOCK = 64>`, in their order.
std::vector<std::string> template_names(const HostFunction& launcher) {
  const Tokens& tokens = launcher.tokens();
  const std::size_t head = launcher.token_at(launcher.chunk().begin);
  if (!tokens[head].is("template") || !tokens[head + 1].is("<")) return {};
  std::vector<std::string> names;
  for (const Tokens& piece : split_by_commas(part(tokens, head + 2, end_of_template(tokens, head + 1)), true)) {
    const auto value = std::ranges::find_if(piece, [](const Token& token) { return token.is("="); });
    if (value == piece.begin()) return {};
    names.emplace_back(std::prev(value)->text);
  }
  return names;
}

bool is_number_of(const Source& source, const HostFunction& launcher, const std::string& name) {
  const std::vector<Tokens> values = values_of_host_template(source, &launcher, name);
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
  explicit Launcher(HostFunction function) : function_(std::move(function)), templates_(template_names(function_)) {}

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
    if (templates.size() != templates_.size() || arguments.size() != function_.parameters().size()) return std::nullopt;
    Names names;
    for (std::size_t i = 0; i < templates.size(); ++i) names[templates_[i]] = templates[i];
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

  HostFunction function_;
  std::vector<std::string> templates_;
};

struct Edit {
  std::size_t begin = 0, end = 0;
  std::string text;
};

/// Of all calls `launch<64>(x, n);` that are statements; empty: one of them is something else.
std::vector<Edit> edits_of_calls(const Launcher& launcher, const SourceText& file) {
  std::vector<Edit> edits;
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
  std::vector<Edit> edits;
  std::set<const Chunk*> looked_at;
  for (const FoundLaunch& launch : find_launches(source)) {
    if (launch.file != &file || launch.chunk == nullptr || !looked_at.insert(launch.chunk).second) continue;
    const auto function = HostFunction::around(launch);
    if (!function) continue;
    const Launcher launcher(*function);
    const std::vector<std::string> names = template_names(*function);
    const bool varies =
        std::ranges::any_of(names, [&](const std::string& name) { return is_number_of(source, *function, name); });
    if (!varies || !launcher.may_stand_elsewhere()) continue;
    const std::vector<Edit> calls = edits_of_calls(launcher, file);
    if (calls.empty()) continue;
    const Chunk& own = *launch.chunk;
    edits.push_back({own.begin, own.end, without_words(file.text.substr(own.begin, own.end - own.begin))});
    edits.insert(edits.end(), calls.begin(), calls.end());
  }
  if (edits.empty()) return std::nullopt;
  std::ranges::sort(edits, std::greater<>(), &Edit::begin);
  for (std::size_t i = 0; i + 1 < edits.size(); ++i)  // one launcher calls another: the next time
    if (edits[i + 1].end > edits[i].begin) return std::nullopt;
  std::string text = file.text;
  for (const Edit& edit : edits) text.replace(edit.begin, edit.end - edit.begin, edit.text);
  return text;
}

}  // namespace harness::adopt
