#include "harness/package/placeholders.h"

namespace harness::package {

std::string filled(const std::string& text, const Placeholders& words) {
  std::string result;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = text.find('@', at);
    const std::size_t close = open == std::string::npos ? open : text.find('@', open + 1);
    if (close == std::string::npos) break;
    const auto word = words.find(text.substr(open + 1, close - open - 1));
    result += text.substr(at, open - at);
    if (word == words.end()) {
      result += '@';
      at = open + 1;
    } else {
      result += word->second;
      at = close + 1;
    }
  }
  return result + text.substr(at);
}

}  // namespace harness::package
