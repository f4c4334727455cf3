#include "harness/package/placeholders.h"

namespace harness::package {

std::string filled(const std::string& text, const Placeholders& words) {
  std::string made;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = text.find('@', at);
    const std::size_t close = open == std::string::npos ? open : text.find('@', open + 1);
    if (close == std::string::npos) break;
    const auto found = words.find(text.substr(open + 1, close - open - 1));
    made += text.substr(at, open - at);
    if (found == words.end()) {
      made += '@';
      at = open + 1;
    } else {
      made += found->second;
      at = close + 1;
    }
  }
  return made + text.substr(at);
}

}  // namespace harness::package
