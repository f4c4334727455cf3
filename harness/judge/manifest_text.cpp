#include "harness/judge/manifest_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace harness::judge {
namespace {

bool begins_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

/// Words that begin a statement, a declaration or assembly, or end what a function does.
bool is_refused_word(std::string_view word) {
  constexpr std::array kRefused = {"asm",    "__asm",  "__asm__",     "_Pragma",    "__pragma", "__attribute__",
                                   "return", "goto",   "operator",    "new",        "delete",   "throw",
                                   "if",     "else",   "for",         "while",      "do",       "switch",
                                   "case",   "break",  "continue",    "using",      "typedef",  "template",
                                   "struct", "class",  "union",       "enum",       "extern",   "namespace",
                                   "try",    "catch",  "co_await",    "co_return",  "co_yield", "static_assert",
                                   "auto",   "static", "__attribute", "__declspec", "decltype", "requires"};
  return std::ranges::find(kRefused, word) != kRefused.end();
}

std::size_t end_of_word(std::string_view text, std::size_t at) {
  while (at < text.size() && is_in_word(text[at])) ++at;
  return at;
}

/// 1'000'000, 0x1p-3f, 1.5e+3; C++ leaves it to later whether it means anything.
std::size_t end_of_number(std::string_view text, std::size_t at) {
  for (; at < text.size(); ++at) {
    const char c = text[at], before = at > 0 ? text[at - 1] : '\0';
    const bool digit_mark = c == '\'' && at + 1 < text.size() && is_in_word(text[at + 1]) && is_in_word(before);
    const bool sign = (c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
    if (!is_in_word(c) && c != '.' && !digit_mark && !sign) break;
  }
  return at;
}

/// An operator of C++ that changes nothing, its length; 0: none stands here.
std::size_t length_of_operator(std::string_view text) {
  for (const std::string_view two : {"==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "::"})
    if (text.starts_with(two)) return 2;
  for (const std::string_view changes : {"++", "--", "//", "/*", "->"})
    if (text.starts_with(changes)) return 0;
  return std::string_view("+-*/%<>!~&|^?:,.").find(text.front()) != std::string_view::npos ? 1 : 0;
}

}  // namespace

bool is_expression(std::string_view text) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (is_blank(c)) {
      ++at;
    } else if (begins_word(c)) {
      const std::size_t end = end_of_word(text, at);
      if (is_refused_word(text.substr(at, end - at))) return false;
      at = end;
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      at = end_of_number(text, at);
    } else if (c == '(' || c == ')') {
      depth += c == '(' ? 1 : -1;
      if (depth < 0) return false;
      ++at;
    } else {
      const std::size_t length = length_of_operator(text.substr(at));
      if (length == 0) return false;
      at += length;
    }
  }
  return depth == 0;
}

bool is_entry_name(std::string_view text) {
  std::size_t at = text.starts_with("::") ? 2 : 0;
  for (;;) {
    if (at >= text.size() || !begins_word(text[at])) return false;
    const std::size_t end = end_of_word(text, at);
    if (is_refused_word(text.substr(at, end - at))) return false;
    at = end;
    if (!text.substr(at).starts_with("::")) break;
    at += 2;
  }
  while (at < text.size() && is_blank(text[at])) ++at;
  if (at == text.size()) return true;
  // One list of template arguments, up to the end. Between round brackets < and > compare.
  if (text[at] != '<' || text.back() != '>') return false;
  const std::string_view arguments = text.substr(at + 1, text.size() - at - 2);
  int angles = 0, brackets = 0;
  for (const char c : arguments) {
    if (c == '(') ++brackets;
    if (c == ')') --brackets;
    if (brackets > 0) continue;
    if (c == '<') ++angles;
    if (c == '>' && --angles < 0) return false;
  }
  return angles == 0 && is_expression(arguments);
}

std::vector<PolicyFlag> scan_manifest(const BuildSpec& build) {
  std::vector<PolicyFlag> flags;
  const auto flag = [&](std::string what) { flags.push_back({"manifest", "manifest", std::move(what), 1}); };
  std::string text;
  for (const auto& [name, value] : build.defines) {
    if (name.empty() || !begins_word(name.front()) || end_of_word(name, 0) != name.size())
      flag(fmt::format("defines '{}', which is no name", name));
    if (!is_expression(value))
      flag(fmt::format("defines {} as '{}', which is no literal, name or expression of those", name, value));
    text += fmt::format("#define {} {}\n", name, value);
  }
  for (const std::string& entry : build.entries) {
    if (!is_entry_name(entry)) flag(fmt::format("launches '{}', which is no function's name", entry));
    text += fmt::format("#define ENTRY {}\n", entry);
  }
  // Pieces of the sources may be pasted to what is defined here.
  for (PolicyFlag& word : scan_source("manifest", text + build.source)) {
    if (word.line > static_cast<int>(build.defines.size() + build.entries.size())) continue;
    flags.push_back(std::move(word));
  }
  return flags;
}

}  // namespace harness::judge
