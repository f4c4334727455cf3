#include "harness/adopt/source/python_text.h"

#include <algorithm>
#include <initializer_list>

namespace harness::adopt {
namespace {

constexpr std::size_t kQuotes = 3;

/// Where the string literal ends whose quote stands at `open`; `triple`: its quotes are three. Behind its last quote.
std::size_t end_of_string(const std::string& text, std::size_t open, bool triple) {
  const std::string quotes(triple ? kQuotes : 1, text[open]);
  for (std::size_t i = open + quotes.size(); i < text.size(); ++i) {
    if (text[i] == '\\') ++i;
    else if (!triple && text[i] == '\n') return i;  // no string of Python's
    else if (text.compare(i, quotes.size(), quotes) == 0) return i + quotes.size();
  }
  return text.size();
}

bool holds_cuda(const std::string& string) {
  return std::ranges::any_of(std::initializer_list<const char*>{"__global__", "<<<", "#include"},
                             [&](const char* word) { return string.find(word) != std::string::npos; });
}

}  // namespace

bool is_python(const std::string& path) {
  return path.ends_with(".py");
}

std::string cuda_in_python(const std::string& text) {
  std::string cuda = text;
  std::ranges::replace_if(
      cuda, [](char letter) { return letter != '\n'; }, ' ');
  bool any = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (text[i] != '"' && text[i] != '\'') continue;
    const bool triple = text.compare(i, kQuotes, std::string(kQuotes, text[i])) == 0;
    const std::size_t end = end_of_string(text, i, triple);
    const std::size_t begin = i + kQuotes, length = end < begin + kQuotes ? 0 : end - kQuotes - begin;
    if (triple && holds_cuda(text.substr(begin, length))) {
      cuda.replace(begin, length, text, begin, length);
      any = true;
    }
    i = end - 1;
  }
  return any ? cuda : "";
}

}  // namespace harness::adopt
