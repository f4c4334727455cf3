#pragma once
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "harness/core/json.h"

namespace harness::mcp {

/// What a tool answers: one object, keys in the order in which they are written. `ok` comes first.
using Answer = nlohmann::ordered_json;

/// Clients cut what is longer in the middle.
inline constexpr std::size_t kLongestAnswer = 8000;  // bytes of its text

/// The same answer within kLongestAnswer: its longest lists and texts are cut until it fits, and `cut` then says how to
/// get the rest.
Answer bounded(Answer answer);

/// {"ok":false,"error":{"message","kind"},"next"}: bad input, a limit, or a broken environment.
Answer failure(const std::string& kind, const std::string& message, const std::string& next);

/// A part of a text, for answers that are read page by page.
struct Page {
  std::string text;
  std::optional<std::size_t> next_offset;  // nothing: this was the last
};
/// From this byte on, at most `most` bytes, ending at a line's end where there is one.
Page page_of(const std::string& text, std::size_t offset, std::size_t most = 6000);

std::string text_of(const Answer& answer);  // compact JSON, valid UTF-8

template <typename T>
Answer or_null(const std::optional<T>& value) {
  return value ? Answer(*value) : Answer();
}

}  // namespace harness::mcp
