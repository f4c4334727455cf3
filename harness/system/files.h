#pragma once
#include <string>
#include <unordered_map>

namespace harness {

/// The whole file. Throws environment_error if it cannot be read.
std::string read_file(const std::string& path);
/// Throws environment_error if it cannot be written whole (a full disk, no permission).
void write_file(const std::string& path, const std::string& bytes);

/// SHA-256 of files, computed again only when a file's size, time or inode changed. A file changed within the last
/// second is never remembered: a second change in the same tick of the clock would not show.
class FileHashes {
 public:
  /// "absent" for a file that cannot be read.
  std::string of(const std::string& path);

 private:
  struct Known {
    long long size = 0, time_ns = 0;
    unsigned long long inode = 0;
    std::string hash;
  };
  std::unordered_map<std::string, Known> known_;
};

}  // namespace harness
