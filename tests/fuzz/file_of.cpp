#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/fuzz/entries.h"

namespace harness::fuzz {

std::string file_of(const char* name, const std::uint8_t* data, std::size_t bytes) {
  // /dev/shm: a file a millisecond would wear out a disk.
  static const std::filesystem::path folder = [] {
    const std::filesystem::path memory = "/dev/shm";
    auto made = (std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path()) /
                ("harness_fuzz_" + std::to_string(getpid()));
    std::filesystem::create_directories(made);
    return made;
  }();
  static const struct Remover {
    ~Remover() {
      std::error_code ignored;
      std::filesystem::remove_all(folder, ignored);
    }
  } remover;
  const std::string path = (folder / name).string();
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  return path;
}

}  // namespace harness::fuzz
