#include "harness/system/text_file.h"

#include <fstream>
#include <sstream>

#include "harness/core/error.h"

namespace harness {

std::string read_text(const std::string& path) {
  if (!std::ifstream(path)) throw bad_input(path + ": cannot be read");
  return read_text_if_any(path);
}

std::string read_text_if_any(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace harness
