#include "harness/cpp_text/text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace harness::cpp_text {
namespace {

constexpr std::array<std::string_view, 5> kRawPrefixes = {"R", "LR", "uR", "UR", "u8R"};
constexpr std::array<std::string_view, 4> kPrefixes = {"L", "u", "U", "u8"};
constexpr std::array<std::string_view, 4> kWithHeaderName = {"include", "include_next", "import", "embed"};
constexpr std::array<std::string_view, 3> kHeaderQuestions = {"__has_include", "__has_include_next", "__has_embed"};

template <std::size_t kCount>
bool is_one_of(std::string_view text, const std::array<std::string_view, kCount>& list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
/// Compilers take `$` and what is beyond ASCII into names.
bool begins_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 128;
}
bool in_a_word(char c) {
  return begins_word(c) || is_digit(c);
}
bool is_blank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0 || c == '\0';  // compilers skip a null with a warning
}

class Lexer {
 public:
  Lexer(std::string_view written, const Dialect& dialect, bool keeps_tokens, bool keeps_directives)
      : written_(written),
        dialect_(dialect),
        joined_(written, dialect),
        text_(joined_.text()),
        keeps_tokens_(keeps_tokens),
        keeps_directives_(keeps_directives) {}

  Text take() {
    while (skip_blanks(false)) {
      if (fresh_ && hash_here() > 0) {
        directive();
      } else {
        Token token = next();
        if (keeps_tokens_) read_.tokens.push_back(std::move(token));
      }
    }
    return std::move(read_);
  }

 private:
  char at(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }

  /// How many characters `#` or its digraph take here.
  std::size_t hash_here() const { return at(at_) == '#' ? 1 : at(at_) == '%' && at(at_ + 1) == ':' ? 2 : 0; }

  /// White space and comments. False at the end of the text, and within a directive at the end of its line.
  bool skip_blanks(bool in_directive) {
    spaced_ = at_ == 0;
    for (; at_ < text_.size(); spaced_ = true) {
      if (text_[at_] == '\n') {
        if (in_directive) return false;
        fresh_ = true;
      }
      if (is_blank(text_[at_])) {
        ++at_;
      } else if (text_[at_] == '/' && at(at_ + 1) == '/') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_[at_] == '/' && at(at_ + 1) == '*') {
        const std::size_t end = text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else {
        return true;
      }
    }
    return false;
  }

  int line_at(std::size_t place) {
    line_ += static_cast<int>(std::count(written_.begin() + static_cast<std::ptrdiff_t>(counted_),
                                         written_.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
    counted_ = place;
    return line_;
  }

  /// The token from `at_` to `end`, which lies behind it now.
  Token token(Token::Kind kind, std::size_t end) {
    end = std::min(end, text_.size());
    Token token;
    token.kind = kind;
    token.begin = joined_.written(at_);
    token.end = joined_.written_end(end);
    token.spaced = spaced_;
    token.line = line_at(token.begin);
    token.text = written_.substr(token.begin, token.end - token.begin);
    if (kind != Token::Kind::directive && !is_raw_ && token.text != text_.substr(at_, end - at_)) {
      token.joined = std::make_shared<const std::string>(text_.substr(at_, end - at_));
      token.text = *token.joined;
    }
    literal_end_ = kind == Token::Kind::literal ? end : std::string_view::npos;
    is_raw_ = false;
    at_ = end;
    fresh_ = false;
    return token;
  }

  Token next() {
    const char c = text_[at_];
    if (c == '"' || c == '\'') return token(Token::Kind::literal, end_of_literal(at_));
    if (begins_word(c)) return word();
    if (is_digit(c) || (c == '.' && is_digit(at(at_ + 1)))) return token(Token::Kind::number, end_of_number());
    constexpr std::array<std::string_view, 17> kSigns = {
        "<<<", ">>>", "->", "::", "<<", "&&", "||", "<=", ">=", "==", "!=", "++", "--", "+=", "-=", "*=", "/="};
    for (const std::string_view sign : kSigns)
      if (text_.substr(at_).starts_with(sign) && !(sign == "<<<" && at(at_ + 3) == '='))
        return token(Token::Kind::sign, at_ + sign.size());
    return token(Token::Kind::sign, at_ + 1);
  }

  Token word() {
    std::size_t end = at_ + 1;
    while (in_a_word(at(end))) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    const bool suffix = dialect_.suffixes && at_ == literal_end_;
    if (!suffix && at(end) == '"' && is_one_of(name, kRawPrefixes))
      if (const std::size_t raw = end_of_raw(end); raw != std::string_view::npos) {
        is_raw_ = true;
        return token(Token::Kind::literal, raw);
      }
    if (!suffix && (at(end) == '"' || at(end) == '\'') && is_one_of(name, kPrefixes))
      return token(Token::Kind::literal, end_of_literal(end));
    return token(Token::Kind::word, end);
  }

  std::size_t end_of_number() const {
    std::size_t end = at_ + 1;
    const auto exponent = [](char c) { return c == 'e' || c == 'E' || c == 'p' || c == 'P'; };
    while (in_a_word(at(end)) || at(end) == '.' || (at(end) == '\'' && in_a_word(at(end + 1))) ||
           ((at(end) == '+' || at(end) == '-') && exponent(at(end - 1))))
      ++end;
    return end;
  }

  /// An open literal ends with its line.
  std::size_t end_of_literal(std::size_t from) const {
    const char quote = text_[from];
    std::size_t end = from + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n')
      end += text_[end] == '\\' && at(end + 1) != '\n' ? 2 : 1;
    return end < text_.size() && text_[end] == quote ? end + 1 : end;
  }

  /// Within a raw string nothing is spliced: it is looked for in the text as it is written. npos: it is none.
  std::size_t end_of_raw(std::size_t quote) const {
    const std::size_t from = joined_.written(quote) + 1, open = written_.find_first_of("(\n", from);
    if (open == std::string_view::npos || written_[open] == '\n') return std::string_view::npos;
    const std::string close = ")" + std::string(written_.substr(from, open - from)) + "\"";
    const std::size_t end = written_.find(close, open);
    return end == std::string_view::npos ? text_.size() : joined_.joined(end + close.size());
  }

  void directive() {
    const std::size_t begin = at_;
    const bool spaced = spaced_;
    Directive directive;
    at_ += hash_here();
    fresh_ = false;
    bool named = false, header = false;
    while (skip_blanks(true)) {
      Token token = header && dialect_.header_names ? header_name() : next();
      if (!named) {
        named = true;
        header = is_one_of(token.text, kWithHeaderName);
        directive.name = std::move(token);
        continue;
      }
      if (!is_one_of(directive.name.text, kWithHeaderName)) header = is_question(token, directive.tokens);
      directive.tokens.push_back(std::move(token));
    }
    if (keeps_tokens_) {
      Token whole;
      whole.kind = Token::Kind::directive;
      whole.begin = joined_.written(begin);
      whole.end = at_ < text_.size() ? joined_.written(at_) : written_.size();
      whole.text = written_.substr(whole.begin, whole.end - whole.begin);
      whole.spaced = spaced;
      whole.line = directive_line(whole.begin);
      read_.tokens.push_back(std::move(whole));
    }
    if (keeps_directives_) read_.directives.push_back(std::move(directive));
    literal_end_ = std::string_view::npos;
  }

  /// Lines are counted forwards, and tokens of the directive have been counted.
  int directive_line(std::size_t begin) const {
    const std::size_t from = std::min(begin, counted_);
    return line_ -
           static_cast<int>(std::count(written_.begin() + static_cast<std::ptrdiff_t>(from),
                                       written_.begin() + static_cast<std::ptrdiff_t>(counted_), '\n')) +
           static_cast<int>(std::count(written_.begin() + static_cast<std::ptrdiff_t>(counted_),
                                       written_.begin() + static_cast<std::ptrdiff_t>(std::max(begin, counted_)),
                                       '\n'));
  }

  /// The bracket behind __has_include: a header's name follows.
  static bool is_question(const Token& token, const Tokens& before) {
    return token.is("(") && !before.empty() && is_one_of(before.back().text, kHeaderQuestions);
  }

  /// In a header's name a backslash escapes nothing, and no comment begins.
  Token header_name() {
    const char open = text_[at_];
    if (open == '<' || open == '"') {
      const std::size_t end = text_.find_first_of(open == '<' ? ">\n" : "\"\n", at_ + 1);
      if (end != std::string_view::npos && text_[end] != '\n')
        return token(open == '<' ? Token::Kind::header : Token::Kind::literal, end + 1);
    }
    return next();
  }

  std::string_view written_;
  Dialect dialect_;
  JoinedText joined_;
  std::string_view text_;
  bool keeps_tokens_, keeps_directives_;
  std::size_t at_ = 0;
  bool fresh_ = true;  // nothing but blanks since the line began
  bool spaced_ = false, is_raw_ = false;
  std::size_t literal_end_ = std::string_view::npos;  // of a literal that was the last token
  std::size_t counted_ = 0;                           // up to here `line_` counts
  int line_ = 1;
  Text read_;
};

}  // namespace

Text read_text(std::string_view written, const Dialect& dialect) {
  return Lexer(written, dialect, true, true).take();
}

Tokens tokens_of(std::string_view written) {
  return Lexer(written, {}, true, false).take().tokens;
}

std::vector<Directive> directives_of(std::string_view written, const Dialect& dialect) {
  return Lexer(written, dialect, false, true).take().directives;
}

std::size_t closing(const Tokens& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.kind != Token::Kind::sign) continue;
    if (token.is("(") || token.is("{") || token.is("[")) ++depth;
    if ((token.is(")") || token.is("}") || token.is("]")) && --depth == 0) return i;
  }
  return tokens.size();
}

std::string spelled(const Tokens& tokens, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) {
    if (i > begin && tokens[i].spaced) text += ' ';
    text += tokens[i].text;
  }
  return text;
}

}  // namespace harness::cpp_text
