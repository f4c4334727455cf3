#include "harness/simulate/text_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <filesystem>
#include <memory>

#include "harness/core/error.h"

namespace harness::simulate {

std::string read_text(const std::string& file) {
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
  constexpr unsigned kBlock = 1 << 20;
  for (;;) {
    const std::size_t held = text.size();
    text.resize(held + kBlock);
    const int got = gzread(in.get(), text.data() + held, kBlock);
    text.resize(held + static_cast<std::size_t>(got > 0 ? got : 0));
    int status = Z_OK;
    const char* message = gzerror(in.get(), &status);
    if (got < 0 || status == Z_BUF_ERROR)
      throw bad_input(fmt::format("'{}' is a damaged or truncated gzip file ({}); fetch it again", file, message));
    if (got == 0) return text;
  }
}

}  // namespace harness::simulate
