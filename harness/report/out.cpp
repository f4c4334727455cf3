#include "harness/report/out.h"

#include <cstdio>

#include "harness/core/printable.h"

namespace harness::report {
namespace {

void write(std::FILE* to, const std::string& text) {
  const std::string shown = printable(text, Lines::many);
  std::fwrite(shown.data(), 1, shown.size(), to);
}

}  // namespace

void out_text(const std::string& text) {
  write(stdout, text);
}

void err_text(const std::string& text) {
  write(stderr, text);
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
