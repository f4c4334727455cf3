#include "harness/fleet/line.h"

#include <fmt/format.h>

#include <charconv>

#include "harness/core/error.h"

namespace harness::fleet {
namespace {

constexpr std::size_t kLongestLine = 64u << 20;
constexpr std::size_t kLongestShown = 200;

std::string_view mark(Side side) {
  return side == Side::node ? "@harness-node " : "@harness-lead ";
}

}  // namespace

std::string framed(Side from, const json& message) {
  // ASCII, so that no terminal and no locale on the way changes a byte.
  const std::string text = message.dump(-1, ' ', true, json::error_handler_t::replace);
  return fmt::format("{}{} {}\n", mark(from), text.size(), text);
}

std::optional<json> Lines::next() {
  for (;;) {
    const std::size_t end = pending_.find('\n');
    if (end == std::string::npos) {
      if (pending_.size() > kLongestLine)
        throw environment_error(
            "a node sent 64 MiB without the end of a line: its command does not start harness node");
      return std::nullopt;
    }
    std::string line = pending_.substr(0, end);
    pending_.erase(0, end + 1);
    while (!line.empty() && line.back() == '\r') line.pop_back();
    if (auto message = read(line)) return message;
    if (line.empty()) continue;
    ++others_;
    if (!line.starts_with(mark(from_ == Side::node ? Side::lead : Side::node)))
      last_other_ = line.substr(0, kLongestShown);
  }
}

std::optional<json> Lines::read(std::string_view line) {
  const std::string_view begin = mark(from_);
  if (!line.starts_with(begin)) return std::nullopt;
  line.remove_prefix(begin.size());
  std::size_t length = 0;
  const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), length);
  if (error != std::errc() || rest == line.data() + line.size() || *rest != ' ') return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(rest - line.data()) + 1);
  if (line.size() != length) return std::nullopt;
  json message = parse_json_if_valid(line);
  return message.is_object() ? std::optional(std::move(message)) : std::nullopt;
}

}  // namespace harness::fleet
