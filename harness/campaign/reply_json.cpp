#include "harness/campaign/reply_json.h"

#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

namespace harness {
namespace {

constexpr int kMostPlaces = 64;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Rewrites one object as strict JSON, character by character, until its last brace.
class StrictCopy {
 public:
  StrictCopy(std::string_view text, std::size_t begin) : text_(text), at_(begin) {}

  /// False: the text ends within the object.
  bool copy() {
    int depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'' || c == '`') {
        if (!copy_string(c)) return false;
        continue;
      }
      if (skip_comment()) continue;
      if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
        copy_word();
        continue;
      }
      if (c == '}' || c == ']') drop_trailing_comma();
      strict_ += c;
      ++at_;
      if (c == '{' || c == '[') ++depth;
      else if ((c == '}' || c == ']') && --depth == 0) return true;
    }
    return false;
  }
  const std::string& strict() const { return strict_; }
  std::size_t end() const { return at_; }

 private:
  bool starts_with(std::string_view words) const { return text_.substr(at_).starts_with(words); }

  bool skip_comment() {
    if (starts_with("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return true;
    }
    if (!starts_with("/*")) return false;
    const std::size_t close = text_.find("*/", at_ + 2);
    at_ = close == std::string_view::npos ? text_.size() : close + 2;
    return true;
  }

  void copy_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0)) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "True") strict_ += "true";
    else if (word == "False") strict_ += "false";
    else if (word == "None") strict_ += "null";
    else strict_ += word;
  }

  void drop_trailing_comma() {
    std::size_t last = strict_.size();
    while (last > 0 && is_blank(strict_[last - 1])) --last;
    if (last > 0 && strict_[last - 1] == ',') strict_.erase(last - 1, 1);
  }

  bool copy_string(char quote) {
    const std::string triple(3, quote);
    const bool is_triple = quote != '`' && starts_with(triple);
    at_ += is_triple ? 3 : 1;
    strict_ += '"';
    while (at_ < text_.size()) {
      if (is_triple ? starts_with(triple) : text_[at_] == quote) {
        at_ += is_triple ? 3 : 1;
        strict_ += '"';
        return true;
      }
      copy_character();
    }
    return false;
  }

  void copy_character() {
    const char c = text_[at_];
    if (c == '\\' && at_ + 1 < text_.size()) return copy_escape();
    ++at_;
    if (c == '"') strict_ += "\\\"";
    else if (c == '\n') strict_ += "\\n";
    else if (c == '\t') strict_ += "\\t";
    else if (c == '\r') strict_ += "\\r";
    else if (static_cast<unsigned char>(c) >= 0x20) strict_ += c;
  }

  // An escape that JSON does not know is the character itself after a quote, and a backslash and the character else:
  // "\d" of a pattern, and a line of a macro that goes on.
  void copy_escape() {
    const char c = text_[at_ + 1];
    const bool is_code = c == 'u' && at_ + 5 < text_.size() && is_hex(at_ + 2, 4);
    at_ += 2;
    if (c == '\'' || c == '`') strict_ += c;
    else if (is_code || (c != 'u' && std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos))
      (strict_ += '\\') += c;
    else {
      strict_ += "\\\\";
      --at_;  // the character is copied as any other
    }
  }

  bool is_hex(std::size_t from, std::size_t digits) const {
    for (std::size_t i = from; i < from + digits; ++i)
      if (std::isxdigit(static_cast<unsigned char>(text_[i])) == 0) return false;
    return true;
  }

  std::string_view text_;
  std::size_t at_;
  std::string strict_;
};

/// A brace of code is followed by a statement; that of an object by a key, a comment or its end.
bool may_begin_object(std::string_view text, std::size_t brace) {
  std::size_t next = brace + 1;
  while (next < text.size() && is_blank(text[next])) ++next;
  return next < text.size() && std::string_view("\"'`}/").find(text[next]) != std::string_view::npos;
}

}  // namespace

ObjectsInText objects_in(const std::string& text) {
  ObjectsInText objects;
  int places = 0;
  for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at)) {
    if (!may_begin_object(text, at)) {
      ++at;
      continue;
    }
    if (++places > kMostPlaces) break;
    StrictCopy copy(text, at);
    if (!copy.copy()) {
      objects.breaks_off = true;
      ++at;
      continue;
    }
    json object = parse_json_if_valid(copy.strict());
    if (!object.is_object()) {
      if (objects.error.empty()) try {
          parse_json(copy.strict());
        } catch (const json::exception& error) {
          objects.error = error.what();
        }
      ++at;
      continue;
    }
    objects.objects.push_back(std::move(object));
    objects.begins.push_back(at);
    objects.ends.push_back(copy.end());
    objects.breaks_off = false;
    at = copy.end();
  }
  return objects;
}

}  // namespace harness
