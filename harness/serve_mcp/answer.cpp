#include "harness/serve_mcp/answer.h"

#include <algorithm>

#include "harness/core/utf8.h"

namespace harness::mcp {
namespace {

/// The list or text that takes the most room, at any depth but in `next` and `error`.
Answer* longest_part(Answer& within) {
  Answer* longest = nullptr;
  std::size_t most = 200;  // shorter parts are not worth a cut
  for (auto& [key, value] : within.items()) {
    if (key == "next" || key == "error" || key == "budget") continue;
    const bool cuttable = (value.is_string() || value.is_array()) && !value.empty();
    const std::size_t bytes = value.is_structured() || value.is_string() ? text_of(value).size() : 0;
    Answer* candidate = cuttable ? &value : nullptr;
    if (value.is_object() || (value.is_array() && value.size() == 1)) candidate = longest_part(value);
    if (candidate != nullptr && bytes > most) {
      most = bytes;
      longest = candidate;
    }
  }
  return longest;
}

void halve(Answer& part) {
  if (part.is_string()) {
    const auto& text = part.get_ref<const std::string&>();
    part = valid_utf8(text.substr(0, text.size() / 2)) + " [...]";
    return;
  }
  const std::size_t kept = part.size() / 2;
  part.erase(part.begin() + static_cast<std::ptrdiff_t>(kept), part.end());
}

}  // namespace

std::string text_of(const Answer& answer) {
  return answer.dump(-1, ' ', false, Answer::error_handler_t::replace);
}

Answer bounded(Answer answer) {
  while (text_of(answer).size() > kLongestAnswer) {
    Answer* const part = longest_part(answer);
    if (part == nullptr) return failure("too_long", "the answer is too long", "ask for less: fewer rows, or a page");
    halve(*part);
    answer["cut"] = "the answer was too long; ask for fewer rows or columns, or for a page (offset)";
  }
  return answer;
}

Answer failure(const std::string& kind, const std::string& message, const std::string& next) {
  return {{"ok", false}, {"error", {{"kind", kind}, {"message", message}}}, {"next", next}};
}

Page page_of(const std::string& text, std::size_t offset, std::size_t most) {
  if (offset >= text.size()) return {"", {}};
  std::size_t end = std::min(text.size(), offset + most);
  if (end < text.size()) {
    const std::size_t line = text.rfind('\n', end);
    if (line != std::string::npos && line > offset) end = line + 1;
  }
  return {valid_utf8(text.substr(offset, end - offset)), end < text.size() ? std::optional(end) : std::nullopt};
}

}  // namespace harness::mcp
