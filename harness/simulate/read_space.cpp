#include "harness/simulate/read_space.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "harness/core/error.h"

namespace harness::simulate {

// zlib lives here: recorded spaces are 20 times smaller packed.
std::string read_text(const std::string& file, std::size_t largest) {
  if (!std::filesystem::is_regular_file(file))
    throw bad_input(
        fmt::format("there is no file '{}'; give a recorded space: a Kernel Tuner cache, a T4 file (either "
                    "also as .gz) or what harness export wrote",
                    file));
  // gzread passes a file that is not packed through as it is.
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> in(gzopen(file.c_str(), "rb"), gzclose);
  if (!in) throw bad_input(fmt::format("'{}' cannot be opened for reading", file));
  gzbuffer(in.get(), 1 << 17);
  std::string text;
  constexpr std::size_t kLeast = 1 << 16, kMost = 1 << 20;
  for (;;) {
    const std::size_t held = text.size(), block = std::clamp(held, kLeast, kMost);
    text.resize(held + block);
    const int got = gzread(in.get(), text.data() + held, static_cast<unsigned>(block));
    text.resize(held + static_cast<std::size_t>(got > 0 ? got : 0));
    int status = Z_OK;
    const char* message = gzerror(in.get(), &status);
    if (got < 0 || status == Z_BUF_ERROR)
      throw bad_input(fmt::format("'{}' is a damaged or truncated gzip file ({}); fetch it again", file, message));
    if (got == 0) return text;
    if (text.size() > largest)
      throw bad_input(fmt::format("'{}' holds more than {} MB, packed or not; no recorded space is so large", file,
                                  largest / 1'000'000));
  }
}

bool is_export(const std::string& text) {
  return text.substr(0, text.find('\n')).find("\"harness_export\"") != std::string::npos;
}

bool begins_as_export(const std::string& file) {
  const std::string text = read_text(file);
  return is_export(text) ||
         (text.find("\"cache\"") == std::string::npos && text.find("\"results\"") == std::string::npos);
}

RecordedSpace read_space(const std::string& file, const std::string& arm) {
  const std::string text = read_text(file);
  if (is_export(text)) return read_export(text, file, arm);
  if (!arm.empty())
    throw bad_input(fmt::format("'{}' is no export of harness and holds one space; leave out --arm", file));
  // What tells them apart stands among the keys of the top level, which either writes before or after a long list.
  if (text.find("\"cache\"") != std::string::npos) return read_kernel_tuner(text, file);
  if (text.find("\"results\"") != std::string::npos) return read_t4(text, file);
  throw bad_input(
      fmt::format("'{}' is no recorded space: a Kernel Tuner file has the key \"cache\", a T4 file "
                  "\"results\", and a text of harness export begins with \"harness_export\"",
                  file));
}

}  // namespace harness::simulate
