#include "harness/system/temporary_folder.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "harness/core/error.h"

namespace harness {

TemporaryFolder::TemporaryFolder(const std::string& what) {
  std::string name = (std::filesystem::temp_directory_path() / ("harness-" + what + "-XXXXXX")).string();
  if (mkdtemp(name.data()) == nullptr)
    throw environment_error(fmt::format("no folder can be made in {}: {}",
                                        std::filesystem::temp_directory_path().string(), std::strerror(errno)));
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace harness
