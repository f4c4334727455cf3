#include "harness/device/cpu/compile/launch_bounds.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include "harness/cpp_text/text.h"

namespace harness::cpu {
namespace {

using Words = std::vector<std::string>;  // identifiers, numbers and single marks

void add_words(const cpp_text::Token& token, Words& words) {
  using Kind = cpp_text::Token::Kind;
  if (token.kind == Kind::word || token.kind == Kind::number) {
    words.emplace_back(token.text);
    std::erase(words.back(), '\'');  // 1'024
  }
  if (token.kind == Kind::sign)
    for (const char mark : token.text) words.emplace_back(1, mark);
}

Words words_of(const cpp_text::Directive& directive) {
  Words words{"#"};
  add_words(directive.name, words);
  for (const cpp_text::Token& token : directive.tokens) add_words(token, words);
  return words;
}

Words words_of(const cpp_text::Text& text) {
  Words words;
  auto directive = text.directives.begin();
  for (const cpp_text::Token& token : text.tokens) {
    if (token.kind != cpp_text::Token::Kind::directive) {
      add_words(token, words);
      continue;
    }
    const Words line = words_of(*directive++);
    words.insert(words.end(), line.begin(), line.end());
  }
  return words;
}

Words words_of(std::string_view text) {
  return words_of(cpp_text::read_text(text));
}

/// The index behind the bracket that closes the one at `open`.
std::size_t behind_bracket(const Words& words, std::size_t open, const std::string& left, const std::string& right) {
  int depth = 0;
  for (std::size_t i = open; i < words.size(); ++i) {
    if (words[i] == left) ++depth;
    if (words[i] == right && --depth == 0) return i + 1;
  }
  return words.size();
}

/// Cuts a list at its commas, those in brackets aside.
std::vector<Words> split(const Words& words) {
  std::vector<Words> parts(1);
  int depth = 0;
  for (const std::string& word : words) {
    if (word == "(" || word == "<" || word == "{") ++depth;
    if (word == ")" || word == ">" || word == "}") --depth;
    if (word == "," && depth == 0) parts.emplace_back();
    else parts.back().push_back(word);
  }
  return parts;
}

/// + - * / % and brackets over whole numbers; what a name stands for is an expression again.
class Arithmetic {
 public:
  explicit Arithmetic(const std::map<std::string, Words>& names) : names_(names) {}

  std::optional<long> value(const Words& words, int depth = 0) {
    if (words.empty() || depth > 20) return std::nullopt;
    std::size_t at = 0;
    const auto value = sum(words, at, depth);
    return at == words.size() ? value : std::nullopt;
  }

 private:
  std::optional<long> sum(const Words& words, std::size_t& at, int depth) {
    auto left = product(words, at, depth);
    while (left && at < words.size() && (words[at] == "+" || words[at] == "-")) {
      const bool add = words[at++] == "+";
      const auto right = product(words, at, depth);
      if (!right) return std::nullopt;
      left = add ? *left + *right : *left - *right;
    }
    return left;
  }

  std::optional<long> product(const Words& words, std::size_t& at, int depth) {
    auto left = factor(words, at, depth);
    while (left && at < words.size() && (words[at] == "*" || words[at] == "/" || words[at] == "%")) {
      const char sign = words[at++][0];
      const auto right = factor(words, at, depth);
      if (!right || (sign != '*' && *right == 0)) return std::nullopt;
      left = sign == '*' ? *left * *right : sign == '/' ? *left / *right : *left % *right;
      if (*left > 1 << 20 || *left < -(1 << 20)) return std::nullopt;
    }
    return left;
  }

  std::optional<long> factor(const Words& words, std::size_t& at, int depth) {
    if (at >= words.size()) return std::nullopt;
    if (words[at] == "(") {
      const std::size_t end = behind_bracket(words, at, "(", ")");
      const Words inner(words.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                        words.begin() + static_cast<std::ptrdiff_t>(std::max(end, at + 2)) - 1);
      at = end;
      return value(inner, depth + 1);
    }
    const std::string& word = words[at++];
    if (std::isdigit(static_cast<unsigned char>(word[0]))) return number(word);
    const auto named = names_.find(word);
    return named == names_.end() ? std::nullopt : value(named->second, depth + 1);
  }

  static std::optional<long> number(std::string_view word) {
    const bool hex = word.starts_with("0x") || word.starts_with("0X");
    if (hex) word.remove_prefix(2);
    long number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number, hex ? 16 : 10);
    const std::string_view rest(end, static_cast<std::size_t>(word.data() + word.size() - end));
    if (error != std::errc() || number > 1 << 20 || rest.find_first_not_of("uUlL") != std::string_view::npos)
      return std::nullopt;
    return number;
  }

  const std::map<std::string, Words>& names_;
};

/// `constexpr int NAME = EXPRESSION;` and `#define NAME EXPRESSION`, the first of each name.
std::map<std::string, Words> constants_of(const cpp_text::Text& source, const Words& words) {
  std::map<std::string, Words> names;
  for (std::size_t i = 0; i + 2 < words.size(); ++i) {
    if (words[i] != "constexpr" && words[i] != "const") continue;
    std::size_t equals = i + 1;
    while (equals < words.size() && equals < i + 6 && words[equals] != "=" && words[equals] != ";") ++equals;
    if (equals >= words.size() || words[equals] != "=" || equals < i + 2) continue;
    Words value;
    for (std::size_t k = equals + 1; k < words.size() && words[k] != ";" && value.size() < 50; ++k)
      value.push_back(words[k]);
    names.emplace(words[equals - 1], value);
  }
  for (const cpp_text::Directive& directive : source.directives) {
    if (!directive.name.is("define") || directive.tokens.size() < 2) continue;
    const Words line = words_of(directive);  // # define NAME EXPRESSION
    names.emplace(line[2], Words(line.begin() + 3, line.end()));
  }
  return names;
}

/// Name and default of each parameter of the template header that ends before the word at `end`.
std::vector<std::pair<std::string, Words>> template_parameters(const Words& words, std::size_t end) {
  std::vector<std::pair<std::string, Words>> parameters;
  std::size_t begin = end;
  while (begin > 0 && words[begin - 1] != ";" && words[begin - 1] != "}" && words[begin] != "template") --begin;
  if (begin >= words.size() || words[begin] != "template" || begin + 1 >= words.size()) return parameters;
  const std::size_t close = behind_bracket(words, begin + 1, "<", ">");
  if (close > end) return parameters;
  const Words list(words.begin() + static_cast<std::ptrdiff_t>(begin) + 2,
                   words.begin() + static_cast<std::ptrdiff_t>(close) - 1);
  for (const Words& part : split(list)) {
    const auto equals = std::find(part.begin(), part.end(), "=");
    if (equals == part.begin()) continue;
    parameters.emplace_back(*(equals - 1), equals == part.end() ? Words() : Words(equals + 1, part.end()));
  }
  return parameters;
}

}  // namespace

std::optional<int> launch_bound(std::string_view source, const std::string& entry,
                                const std::vector<std::pair<std::string, std::string>>& defines) {
  const cpp_text::Text text = cpp_text::read_text(source);
  const Words words = words_of(text), called = words_of(entry);
  const auto open = std::find(called.begin(), called.end(), "<");
  if (open == called.begin()) return std::nullopt;
  const std::string base = *(open - 1);
  std::map<std::string, Words> names = constants_of(text, words);
  for (const auto& [name, value] : defines) names[name] = words_of(value);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] != "__launch_bounds__" || words[i + 1] != "(") continue;
    const std::size_t close = behind_bracket(words, i + 1, "(", ")");
    std::size_t name = close;  // of the kernel: the first word with a bracket behind it
    while (name + 1 < words.size() && words[name + 1] != "(" && words[name] != ";" && words[name] != "{") ++name;
    if (name >= words.size() || words[name] != base) continue;
    const std::vector<Words> bounds = split(Words(words.begin() + static_cast<std::ptrdiff_t>(i) + 2,
                                                  words.begin() + static_cast<std::ptrdiff_t>(close) - 1));
    std::vector<Words> given;
    if (open != called.end() && called.back() == ">") given = split(Words(open + 1, called.end() - 1));
    const auto parameters = template_parameters(words, i);
    for (std::size_t p = 0; p < parameters.size(); ++p)
      names[parameters[p].first] = p < given.size() ? given[p] : parameters[p].second;
    const auto threads = Arithmetic(names).value(bounds.front());
    if (threads && *threads >= 1 && *threads <= 1024) return static_cast<int>(*threads);
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace harness::cpu
