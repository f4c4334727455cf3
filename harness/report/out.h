#pragma once
#include <fmt/format.h>

#include <string>
#include <utility>

#include "harness/core/json.h"

// The one way to the terminal: commands and displays write through here, so that no text of a record can steer it
// (core/printable.h). tests/report/out_test.cpp holds them to it.
namespace harness::report {

/// To standard output. What a text holds is shown, never obeyed; line ends stay.
void out_text(const std::string& text);
/// The same to standard error.
void err_text(const std::string& text);
template <typename... Arguments>
void out(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  out_text(fmt::format(format, std::forward<Arguments>(arguments)...));
}
template <typename... Arguments>
void err(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  err_text(fmt::format(format, std::forward<Arguments>(arguments)...));
}
/// One line of JSON on standard output.
void out_json(const json& value);

/// At most `bytes` of a text, whole characters, with a note of how long it was: a stranger's text may have any length.
std::string bounded(const std::string& text, std::size_t bytes);

}  // namespace harness::report
