#include "harness/report/out.h"

#include <fmt/format.h>

#include <cstdarg>
#include <cstdio>

#include "harness/core/printable.h"

namespace harness::report {
namespace {

void write(std::FILE* to, const std::string& text) {
  const std::string shown = printable(text, Lines::many);
  std::fwrite(shown.data(), 1, shown.size(), to);
}

std::string formatted(const char* format, std::va_list arguments) {
  std::va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  std::string text(length > 0 ? static_cast<std::size_t>(length) : 0, '\0');
  if (length > 0) std::vsnprintf(text.data(), text.size() + 1, format, arguments);
  return text;
}

}  // namespace

void out(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  write(stdout, formatted(format, arguments));
  va_end(arguments);
}

void err(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  write(stderr, formatted(format, arguments));
  va_end(arguments);
}

void out_json(const json& value) {
  const std::string text = printable_json(value) + '\n';
  std::fwrite(text.data(), 1, text.size(), stdout);
}

std::string bounded(const std::string& text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  std::size_t end = bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return fmt::format("{}... ({} bytes)", text.substr(0, end), text.size());
}

}  // namespace harness::report
