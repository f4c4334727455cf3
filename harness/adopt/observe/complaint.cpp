#include "harness/adopt/observe/complaint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "harness/adopt/source/tokens.h"

namespace harness::adopt {
namespace {

constexpr std::size_t kLongest = 300;

/// The line of `text` that "FILE:34:5: error: ..." is about, where the log is cut before "error".
std::string_view line_at(std::string_view before, std::string_view file, std::string_view text) {
  const std::size_t name = before.rfind(fmt::format("{}:", file));
  if (name == std::string_view::npos) return {};
  int line = std::atoi(std::string(before.substr(name + file.size() + 1)).c_str());
  std::size_t begin = 0;
  while (--line > 0 && begin != std::string_view::npos) begin = text.find('\n', begin + (begin > 0 ? 1 : 0));
  if (line != 0 || begin == std::string_view::npos) return {};
  begin += begin > 0 ? 1 : 0;
  return trimmed(text.substr(begin, text.find('\n', begin) - begin));
}

}  // namespace

std::string first_complaint(std::string_view log, std::string_view file, std::string_view compiled,
                            std::string_view original) {
  constexpr std::string_view kError = "error: ";
  const std::size_t at = log.find(kError);
  if (at == std::string_view::npos) return std::string(trimmed(log.substr(0, std::min(log.find('\n'), kLongest))));
  const std::string_view rest = log.substr(at + kError.size());
  const std::string_view what = trimmed(rest.substr(0, std::min(rest.find('\n'), kLongest)));
  const std::string_view code = line_at(log.substr(0, at), file, compiled).substr(0, kLongest);
  if (code.empty()) return std::string(what);
  const std::size_t place = original.find(code);
  const bool once = place != std::string_view::npos && original.find(code, place + 1) == std::string_view::npos;
  return once ? fmt::format("{} ({}:{}: {})", what, file, line_of(original, place), code)
              : fmt::format("{} ({}: {})", what, file, code);
}

}  // namespace harness::adopt
