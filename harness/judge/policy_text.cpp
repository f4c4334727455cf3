#include "harness/judge/policy_text.h"

#include <cctype>
#include <set>

namespace harness::judge {
namespace {

bool starts_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}
bool in_word(char c) {
  return starts_word(c) || std::isdigit(static_cast<unsigned char>(c));
}

/// Walks over a text once; comments vanish on the way.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {}

  SourceParts parts() {
    while (at_ < text_.size()) step();
    return std::move(parts_);
  }

 private:
  char now(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void advance() {
    if (now() == '\n') {
      ++line_;
      fresh_line_ = true;
    }
    ++at_;
  }

  void step() {
    if (skip_blank()) return;
    if (now() == '#' && fresh_line_) return directive();
    fresh_line_ = false;
    if (now() == '"' || now() == '\'') {
      literal();
      return;
    }
    if (starts_word(now())) return word();
    last_ = now();
    if (std::isdigit(static_cast<unsigned char>(now()))) {  // 1'000 holds no character literal
      while (in_word(now()) || (now() == '\'' && in_word(now(1)))) advance();
      return;
    }
    advance();
  }

  /// White space, comments and joined lines.
  bool skip_blank() {
    if (std::isspace(static_cast<unsigned char>(now()))) {
      advance();
      return true;
    }
    if (now() == '\\' && (now(1) == '\n' || (now(1) == '\r' && now(2) == '\n'))) {
      at_ += now(1) == '\r' ? 3 : 2;
      ++line_;
      return true;
    }
    if (now() == '/' && now(1) == '/') {
      while (at_ < text_.size() && now() != '\n') {
        if (now() == '\\' && now(1) == '\n') ++line_, ++at_;
        ++at_;
      }
      return true;
    }
    if (now() == '/' && now(1) == '*') {
      at_ += 2;
      while (at_ < text_.size() && !(now() == '*' && now(1) == '/')) advance();
      at_ = std::min(at_ + 2, text_.size());
      return true;
    }
    return false;
  }

  void skip_blanks() {
    while (at_ < text_.size() && skip_blank()) {
    }
  }

  /// A string or character literal; its content.
  std::string literal() {
    const char quote = now();
    std::string content;
    advance();
    while (at_ < text_.size() && now() != quote && now() != '\n') {
      if (now() == '\\' && at_ + 1 < text_.size()) {
        content += now(1) == 'n' || now(1) == 't' ? ' ' : now(1);
        if (now(1) == 'n') content.back() = ';';  // ends an instruction
        advance();
      } else {
        content += now();
      }
      advance();
    }
    advance();
    return content;
  }

  std::string raw_literal() {  // at its quote
    advance();
    std::string delimiter = ")";
    while (at_ < text_.size() && now() != '(') {
      delimiter += now();
      advance();
    }
    delimiter += '"';
    advance();
    const std::size_t end = std::min(text_.find(delimiter, at_), text_.size());
    std::string content(text_.substr(at_, end - at_));
    while (at_ < std::min(end + delimiter.size(), text_.size())) advance();
    return content;
  }

  std::string read_word() {
    std::string word;
    for (;;) {
      if (in_word(now())) word += now();
      else if (now() == '\\' && now(1) == '\n') ++line_, ++at_;  // a word may be cut by a joined line
      else return word;
      ++at_;
    }
  }

  void word() {
    const int line = line_;
    const bool address = last_ == '&';
    const std::string word = read_word();
    static const std::set<std::string> kRaw{"R", "LR", "uR", "UR", "u8R"};
    if (now() == '"' && kRaw.contains(word)) {
      raw_literal();
      return;
    }
    skip_blanks();
    if (word == "asm" || word == "__asm" || word == "__asm__") return assembly(line);
    parts_.words.push_back({word, line, now() == '(' || address});
    last_ = now();
  }

  /// asm volatile("..." "..." : ...): the literals up to the closing parenthesis.
  void assembly(int line) {
    while (starts_word(now())) {
      read_word();
      skip_blanks();
    }
    if (now() != '(' && now() != '{') return;
    AsmText found{"", line};
    int depth = 0;
    bool operands = false;  // behind the first colon: constraints, no instructions
    while (at_ < text_.size()) {
      if (skip_blank()) continue;
      if (now() == '"') {
        const std::string content = literal();
        if (!operands) found.text += content;
        continue;
      }
      if (starts_word(now())) {
        const std::string name = read_word();
        if (now() == '"' && name.ends_with("R")) found.text += raw_literal();
        continue;
      }
      if (now() == '(') ++depth;
      if (now() == ')' && --depth == 0) break;
      if (now() == ':') operands = true;
      advance();
    }
    parts_.assembly.push_back(std::move(found));
  }

  void directive() {
    const int line = line_;
    advance();
    skip_spaces();
    const std::string name = read_word();
    if (name == "include" || name == "include_next" || name == "embed" || name == "import") {
      skip_spaces();
      include(name, line);
    } else if (name == "pragma") {
      skip_spaces();
      if (read_word() == "GCC") {
        skip_spaces();
        if (read_word() == "dependency") parts_.includes.push_back({"pragma GCC dependency", "", false, line});
      }
    } else if (name == "if" || name == "elif") {
      probe(line);
    }
    fresh_line_ = false;  // what a macro is defined as is read like the rest
  }

  /// __has_include of anything but a plain name is a probe of the file system.
  void probe(int line) {
    while (at_ < text_.size() && now() != '\n') {
      if (!starts_word(now())) {
        if (!skip_joined()) ++at_;
        continue;
      }
      const std::string word = read_word();
      if (word != "__has_include" && word != "__has_include_next" && word != "__has_embed") continue;
      while (now() == ' ' || now() == '(') ++at_;
      include(word, line);
      if (!parts_.includes.empty()) {
        IncludeText& last = parts_.includes.back();
        if (!last.name.empty() && last.name.front() != '/' && last.name.find("..") == std::string::npos)
          parts_.includes.pop_back();
      }
    }
  }

  bool skip_joined() {
    if (now() != '\\' || now(1) != '\n') return false;
    at_ += 2;
    ++line_;
    return true;
  }

  void skip_spaces() {
    while (now() == ' ' || now() == '\t' || (now() == '/' && now(1) == '*') || (now() == '\\' && now(1) == '\n'))
      skip_blank();
  }

  void include(const std::string& directive, int line) {
    IncludeText found{directive, "", now() == '"', line};
    const char close = now() == '<' ? '>' : '"';
    if (now() == '<' || now() == '"') {
      ++at_;
      while (at_ < text_.size() && now() != close && now() != '\n') found.name += text_[at_++];
      if (now() == close) ++at_;
    }
    parts_.includes.push_back(std::move(found));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool fresh_line_ = true;
  char last_ = '\0';
  SourceParts parts_;
};

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) || c == '{' || c == '}'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Without a label or a predicate in front: "@p mov.b32" is a mov.
std::string_view without_prefix(std::string_view text) {
  if (text.starts_with("@")) {
    const std::size_t space = text.find(' ');
    return space == std::string_view::npos ? std::string_view() : trimmed(text.substr(space));
  }
  const std::size_t colon = text.find(':');
  const bool label = colon != std::string_view::npos && text.find_first_of(" .,[") > colon &&
                     (colon + 1 >= text.size() || text[colon + 1] != ':');
  return label ? without_prefix(trimmed(text.substr(colon + 1))) : text;
}

}  // namespace

SourceParts take_apart(std::string_view text) {
  return Walk(text).parts();
}

std::vector<std::string> instructions_of(std::string_view assembly) {
  std::vector<std::string> words;
  while (!assembly.empty()) {
    const std::size_t end = std::min(assembly.find_first_of(";\n"), assembly.size());
    const std::string_view statement = without_prefix(trimmed(assembly.substr(0, end)));
    assembly.remove_prefix(std::min(end + 1, assembly.size()));
    if (statement.empty() || !starts_word(statement.front())) continue;  // a declaration (.reg), or operands
    std::string word;
    for (const char c : statement) {
      if (!in_word(c)) break;
      word += c;
    }
    words.push_back(word);
  }
  return words;
}

}  // namespace harness::judge
