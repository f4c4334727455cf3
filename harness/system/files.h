#pragma once
#include <fstream>
#include <optional>
#include <string>
#include <unordered_map>

#include "harness/core/error.h"

namespace harness {

/// The bytes of a file. Throws an Error of this kind, "PATH: cannot be read", if there is none that can be read.
std::string read_file(const std::string& path, Error::Kind kind = Error::Kind::environment);
/// The same; nothing for a path that is absent, unreadable or no file (a folder, a pipe).
std::optional<std::string> read_file_if_any(const std::string& path);
/// Whether no further file can be opened now, because this process or the machine has too many open (ulimit -n).
bool is_out_of_descriptors();
/// Throws environment_error if it cannot be written whole (a full disk, no permission).
void write_file(const std::string& path, const std::string& bytes);
/// The same, and other processes see the old file or the new one, whole.
void replace_file(const std::string& path, const std::string& bytes, const std::string& folder = "");

/// A file that appears whole or not at all: written under a name of its own and renamed by commit().
/// Without a commit, nothing is left of it. A symbolic link is followed: it stays, and the file that it leads to is
/// replaced. What is there and no file (a device, a pipe) is written into as it is, never replaced.
class NewFile {
 public:
  /// `folder`, on the same file system, is where it lies until then: beside `path` if none is named. Throws
  /// environment_error if it cannot be begun.
  explicit NewFile(std::string path, const std::string& folder = "");
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();
  std::ostream& stream() { return stream_; }
  /// Throws environment_error if it could not all be written.
  void commit();

 private:
  std::string path_, partial_;
  std::ofstream stream_;
};

/// Of this process and no other call in it: for what is renamed when it is finished.
std::string unique_name();

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
