#pragma once
#include <string>

#include "harness/core/json.h"

// The one way to the terminal: commands and displays write through here, so that no text of a record can steer it
// (core/printable.h). tests/report/out_test.cpp holds them to it.
namespace harness::report {

/// printf to standard output. What the arguments hold is shown, never obeyed; line ends stay.
[[gnu::format(printf, 1, 2)]] void out(const char* format, ...);
/// The same to standard error.
[[gnu::format(printf, 1, 2)]] void err(const char* format, ...);
/// One line of JSON on standard output.
void out_json(const json& value);

/// At most `bytes` of a text, whole characters, with a note of how long it was: a stranger's text may have any length.
std::string bounded(const std::string& text, std::size_t bytes);

}  // namespace harness::report
