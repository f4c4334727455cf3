#include "harness/core/name_list.h"

namespace harness {

std::vector<std::string> listed_names(const std::string& names) {
  std::vector<std::string> list{""};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool separates = names[i] == ',' && (i + 1 == names.size() || names[i + 1] != ' ');
    if (separates) list.emplace_back();
    else list.back() += names[i];
  }
  std::erase(list, "");
  return list;
}

bool is_pattern(const std::string& name) {
  return name.find_first_of("*?") != std::string::npos;
}

bool matches_pattern(const std::string& name, const std::string& pattern) {
  // Goes back to the last star alone: what an earlier one took can stay as it is.
  std::size_t at = 0, next = 0, star = std::string::npos, taken = 0;
  while (at < name.size()) {
    if (next < pattern.size() && pattern[next] == '*') {
      star = next++;
      taken = at;
    } else if (next < pattern.size() && (pattern[next] == '?' || pattern[next] == name[at])) {
      ++at;
      ++next;
    } else if (star != std::string::npos) {
      next = star + 1;
      at = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', next) == std::string::npos;
}

std::string glob_of(const std::string& pattern) {
  std::string glob;
  for (const char c : pattern) glob += c == '[' ? std::string("[[]") : std::string(1, c);
  return glob;
}

}  // namespace harness
