#include "harness/script/strategy/source.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "harness/core/error.h"

namespace fs = std::filesystem;

namespace harness::script {

Source read_source(const fs::path& file, const std::string& name) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (fs::is_directory(file) || in.bad() || !in.is_open()) {
    throw bad_input(fmt::format("{}: cannot be read; check that it is a file with Lua text and its permissions", name));
  }
  return {name, text};
}

}  // namespace harness::script
