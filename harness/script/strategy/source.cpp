#include "harness/script/strategy/source.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/system/files.h"

namespace harness::script {

Source read_source(const std::filesystem::path& file, const std::string& name) {
  const std::optional<std::string> text = read_file_if_any(file);
  if (!text)
    throw bad_input(fmt::format("{}: cannot be read; check that it is a file with Lua text and its permissions", name));
  return {name, *text};
}

}  // namespace harness::script
