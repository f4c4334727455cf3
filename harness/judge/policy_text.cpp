#include "harness/judge/policy_text.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace harness::judge {
namespace {

bool starts_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}
bool in_word(char c) {
  return starts_word(c) || std::isdigit(static_cast<unsigned char>(c));
}

/// Walks over a text once; comments and joined lines vanish on the way. `at_` never stands on the backslash of a joined
/// line. g++ joins lines with blanks behind the backslash, too. `trigraphs`: as a compiler for C++14 reads it.
class Walk {
 public:
  Walk(std::string_view text, bool trigraphs) : text_(text), trigraphs_(trigraphs) { go_to(0); }

  SourceParts parts() {
    while (at_ < text_.size()) step();
    return std::move(parts_);
  }

 private:
  bool is_trigraph(std::size_t at, char last) const {
    return trigraphs_ && at + 2 < text_.size() && text_[at] == '?' && text_[at + 1] == '?' && text_[at + 2] == last;
  }

  /// The first place from `at` on that is no joined line.
  std::size_t unjoined(std::size_t at) const {
    for (;;) {
      std::size_t behind = at;
      if (at < text_.size() && text_[at] == '\\') behind = at + 1;
      else if (is_trigraph(at, '/')) behind = at + 3;
      else return at;
      const std::size_t end = text_.find_first_not_of(" \t\v\f\r", behind);
      if (end == std::string_view::npos || text_[end] != '\n') return at;
      at = end + 1;
    }
  }

  char now(std::size_t ahead = 0) const {
    std::size_t at = at_;
    while (ahead-- > 0 && at < text_.size()) at = unjoined(at + 1);
    return at < text_.size() ? text_[at] : '\0';
  }

  void go_to(std::size_t place) {
    const std::size_t to = std::min(unjoined(place), text_.size());
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
    at_ = to;
  }

  void advance(int characters = 1) {
    for (; characters > 0 && at_ < text_.size(); --characters) {
      if (text_[at_] == '\n') fresh_line_ = true;
      go_to(at_ + 1);
    }
  }

  /// `#`, its digraph or its trigraph: how many characters it takes, or 0.
  int hash_here() const {
    if (now() == '#') return 1;
    if (now() == '%' && now(1) == ':') return 2;
    return now() == '?' && is_trigraph(at_, '=') ? 3 : 0;
  }

  void step() {
    if (fresh_line_) in_define_ = false;
    if (skip_blank()) return;
    if (const int hash = hash_here(); hash > 0) {
      if (fresh_line_) return directive(hash);
      advance(hash);
      if (const int second = hash_here(); second > 0) {
        advance(second);
        paste();
      }
      return;
    }
    fresh_line_ = false;
    if (now() == '"' || now() == '\'') {
      literal();
      last_ = '"';
      return;
    }
    if (now() == '[' && now(1) == '[') {
      advance(2);
      return attributes(2, '[', ']');
    }
    if (starts_word(now())) return word();
    if (std::isdigit(static_cast<unsigned char>(now()))) return number();
    last_ = now();
    advance();
  }

  void number() {  // 1'000 holds no character literal
    const bool alone = last_ == '(' || last_ == ',';
    std::string text;
    while (in_word(now()) || (now() == '\'' && in_word(now(1)))) {
      text += now();
      advance();
    }
    skip_blanks();
    if (pasted_ || (alone && (now() == ',' || now() == ')')) || hash_here() > 0) parts_.pieces.push_back(text);
    pasted_ = false;
    last_ = '0';
  }

  /// `##`: the words on both sides are pieces of one.
  void paste() {
    parts_.pastes = true;
    pasted_ = true;
    if (!parts_.words.empty()) parts_.pieces.push_back(parts_.words.back().text);
  }

  /// White space and comments.
  bool skip_blank() {
    if (std::isspace(static_cast<unsigned char>(now()))) {
      advance();
      return true;
    }
    if (now() == '/' && now(1) == '/') {
      while (at_ < text_.size() && now() != '\n') go_to(at_ + 1);
      return true;
    }
    if (now() == '/' && now(1) == '*') {
      const bool fresh = fresh_line_;  // a directive may follow a comment of several lines, and stand behind one
      advance(2);
      while (at_ < text_.size() && !(now() == '*' && now(1) == '/')) go_to(at_ + 1);
      advance(2);
      fresh_line_ = fresh;
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
      if (now() == '\\' || is_trigraph(at_, '/')) {
        advance(now() == '\\' ? 1 : 3);
        escape(content);
      } else {
        content += now();
        advance();
      }
    }
    advance();
    return content;
  }

  /// Behind the backslash. A line break of an assembly text ends an instruction.
  void escape(std::string& content) {
    const char c = now();
    const bool hex = c == 'x' || c == 'u' || c == 'U';
    if (!hex && !(c >= '0' && c <= '7')) {
      content += c == 'n' ? ';' : c == 't' ? ' ' : c;
      return advance();
    }
    if (hex) advance();
    unsigned value = 0;
    const int most = c == 'U' ? 8 : c == 'u' ? 4 : hex ? 1 << 20 : 3;
    for (int digits = 0; digits < most && std::isxdigit(static_cast<unsigned char>(now())); ++digits) {
      if (!hex && now() > '7') break;
      const int digit = std::isdigit(static_cast<unsigned char>(now())) ? now() - '0' : (now() | 0x20) - 'a' + 10;
      value = value * (hex ? 16 : 8) + static_cast<unsigned>(digit);
      advance();
    }
    content += static_cast<char>(value == '\n' ? ';' : value);
  }

  /// At its quote. Nothing is joined within it.
  std::string raw_literal() {
    std::size_t at = at_ + 1;
    const std::size_t open = std::min(text_.find('(', at), text_.size());
    const std::string close = ")" + std::string(text_.substr(at, open - at)) + "\"";
    at = std::min(open + 1, text_.size());
    const std::size_t end = std::min(text_.find(close, at), text_.size());
    std::string content(text_.substr(at, end - at));
    go_to(std::min(end + close.size(), text_.size()));
    return content;
  }

  std::string read_word() {
    std::string word;
    for (; in_word(now()); go_to(at_ + 1)) word += now();
    return word;
  }

  void word() {
    const int line = line_;
    const bool address = last_ == '&';
    const bool alone = last_ == '(' || last_ == ',' || defines_;
    const bool was_pasted = std::exchange(pasted_, false);
    const std::string word = read_word();
    static const std::set<std::string> kRaw{"R", "LR", "uR", "UR", "u8R"};
    if (now() == '"' && kRaw.contains(word)) {
      raw_literal();
      last_ = '"';
      return;
    }
    const bool line_ends = at_ < text_.size() && now() == '\n';
    skip_blanks();
    if (word == "asm" || word == "__asm" || word == "__asm__") return assembly(line);
    if (word == "_Pragma") return pragma_operator(line);
    if (word == "__attribute__" || word == "__attribute" || word == "__declspec") return attributes(0, '(', ')');
    if (was_pasted || (alone && (now() == ',' || now() == ')' || line_ends))) parts_.pieces.push_back(word);
    parts_.words.push_back({word, line, now() == '(' || address, in_define_});
    // `#define NAME`: what follows is its body, which may be one piece of a word.
    defines_ = define_ && !defines_ && now() != '(';
    define_ = false;
    last_ = 'a';
  }

  /// The names up to the bracket that closes the outermost one; `open` of them stand before. What stands in the
  /// brackets of an attribute are its arguments.
  void attributes(int open, char opens, char closes) {
    const int names_at = 2;
    int depth = open, inner = 0;
    while (at_ < text_.size()) {
      if (skip_blank()) continue;
      const char c = now();
      if (c == '"' || c == '\'') {
        literal();
        continue;
      }
      if (starts_word(c)) {
        const int line = line_;
        std::string name = read_word();
        skip_blanks();
        const bool is_namespace = now() == ':' || name == "using";
        if (depth == names_at && inner == 0 && !is_namespace) {
          if (name.size() > 4 && name.starts_with("__") && name.ends_with("__")) name = name.substr(2, name.size() - 4);
          parts_.attributes.push_back({name, line});
        }
        continue;
      }
      advance();
      if (depth == names_at && opens == '[' && (c == '(' || c == ')')) inner += c == '(' ? 1 : -1;
      else if (c == opens) ++depth;
      else if (c == closes && --depth == 0) break;
      else if (depth == 0) break;  // no bracket follows
    }
    last_ = ')';
  }

  void pragma(std::string_view words, int line) {
    std::string first, rest;
    std::size_t at = words.find_first_not_of(" \t");
    while (at < words.size() && in_word(words[at])) first += words[at++];
    at = std::min(words.find_first_not_of(" \t", at), words.size());
    while (at < words.size() && in_word(words[at])) rest += words[at++];
    if (first == "GCC" && rest == "dependency") return;  // an include
    const bool family = first == "GCC" || first == "clang" || first == "STDC";
    parts_.pragmas.push_back({family ? first + " " + rest : first, line});
  }

  /// _Pragma("GCC dependency \"file\"")
  void pragma_operator(int line) {
    if (now() != '(') return;
    advance();
    skip_blanks();
    if (now() != '"' && !starts_word(now())) return;
    const std::string prefix = starts_word(now()) ? read_word() : "";
    const std::string content = now() == '"' ? prefix.ends_with("R") ? raw_literal() : literal() : prefix;
    if (content.find("dependency") != std::string::npos)
      parts_.includes.push_back({"pragma GCC dependency", "", false, line});
    pragma(content, line);
    last_ = ')';
  }

  /// asm volatile("..." "..." : ...): the literals up to the closing parenthesis.
  void assembly(int line) {
    while (starts_word(now())) {
      read_word();
      skip_blanks();
    }
    if (now() != '(' && now() != '{') return;
    AsmText assembly{"", "", line};
    int depth = 0;
    bool operands = false;  // behind the first colon: constraints, no instructions
    while (at_ < text_.size()) {
      if (skip_blank()) continue;
      if (now() == '"') {
        const std::string content = literal();
        if (!operands) assembly.text += content;
        continue;
      }
      if (starts_word(now())) {
        const std::string name = read_word();
        if (now() == '"' && name.ends_with("R")) assembly.text += raw_literal();
        else if (!operands) assembly.words += name + " ";  // a macro: what it stands for may be assembly
        continue;
      }
      if (now() == '(') ++depth;
      if (now() == ')' && --depth == 0) break;
      if (now() == ':') operands = true;
      advance();
    }
    parts_.assembly.push_back(std::move(assembly));
  }

  void directive(int hash) {
    const int line = line_;
    advance(hash);
    skip_spaces();
    const std::string name = read_word();
    if (name == "include" || name == "include_next" || name == "embed" || name == "import") {
      skip_spaces();
      include(name, line);
    } else if (name == "pragma") {
      skip_spaces();
      std::string words = read_word() + " ";
      skip_spaces();
      words += read_word();
      if (words == "GCC dependency") parts_.includes.push_back({"pragma GCC dependency", "", false, line});
      pragma(words, line);
    } else if (name == "if" || name == "elif") {
      probe(line);
    } else if (name == "line" || (!name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) != 0)) {
      parts_.renumbered.push_back(line);
    }
    define_ = in_define_ = name == "define";
    defines_ = false;
    last_ = '#';
    fresh_line_ = false;  // what a macro is defined as is read like the rest
  }

  /// __has_include asks the file system.
  void probe(int line) {
    while (at_ < text_.size() && now() != '\n') {
      if (!starts_word(now())) {
        go_to(at_ + 1);
        continue;
      }
      const std::string word = read_word();
      parts_.words.push_back({word, line, false, false});
      if (word != "__has_include" && word != "__has_include_next" && word != "__has_embed") continue;
      while (now() == ' ' || now() == '(') go_to(at_ + 1);
      include(word, line);
    }
  }

  void skip_spaces() {
    while (now() == ' ' || now() == '\t' || (now() == '/' && now(1) == '*')) skip_blank();
  }

  void include(const std::string& directive, int line) {
    IncludeText include{directive, "", now() == '"', line};
    const char close = now() == '<' ? '>' : '"';
    if (now() == '<' || now() == '"') {
      go_to(at_ + 1);
      for (; at_ < text_.size() && now() != close && now() != '\n'; go_to(at_ + 1)) include.name += now();
      if (now() == close) go_to(at_ + 1);
    }
    parts_.includes.push_back(std::move(include));
  }

  std::string_view text_;
  bool trigraphs_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool fresh_line_ = true;
  bool define_ = false, defines_ = false;  // behind `#define`; behind the name that it defines
  bool in_define_ = false;                 // on its line
  bool pasted_ = false;                    // behind `##`
  char last_ = '\0';                       // of what stands before: a mark, or a sign for a word, number or literal
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

SourceParts take_apart(std::string_view text, bool trigraphs) {
  return Walk(text, trigraphs).parts();
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
