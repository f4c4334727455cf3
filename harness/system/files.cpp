#include "harness/system/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <iterator>

#include "harness/core/hash.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

Error not_written(const std::string& path, const std::string& why) {
  return environment_error(
      fmt::format("cannot write {}: {}; name a file in a writable folder with free space", path, why));
}

bool is_no_file(const std::string& path) {
  std::error_code absent;
  return fs::exists(path, absent) && !fs::is_regular_file(path, absent) && !fs::is_directory(path, absent);
}

/// Where the links from `path` end, also if nothing is there yet. A link to what is no file is left to the kernel: that
/// of /dev/stdout may read "pipe:[123]".
std::string end_of_links(const std::string& path) {
  if (is_no_file(path)) return path;
  constexpr int kMostLinks = 40;  // as the kernel
  std::error_code absent;
  fs::path place = path;
  for (int i = 0; i < kMostLinks && fs::is_symlink(place, absent); ++i)
    place = place.parent_path() / fs::read_symlink(place, absent);  // an absolute target stands for itself
  return place.string();
}

}  // namespace

// Without a stream: one throws where read() fails, as it does for /proc/PID/stat of a process that has just ended.
std::optional<std::string> read_file_if_any(const std::string& path) {
  std::error_code absent;
  if (!fs::is_regular_file(path, absent)) return std::nullopt;  // opening a pipe would wait for its writer
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::string bytes;
  struct stat told {};
  if (fstat(file, &told) == 0) bytes.reserve(static_cast<std::size_t>(told.st_size));  // 0 below /proc
  char part[1 << 16];
  ssize_t got = 0;
  while ((got = read(file, part, sizeof part)) > 0 || (got < 0 && errno == EINTR))
    if (got > 0) bytes.append(part, static_cast<std::size_t>(got));
  close(file);
  if (got < 0) return std::nullopt;
  return bytes;
}

bool is_out_of_descriptors() {
  const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (file >= 0) close(file);
  return file < 0 && (errno == EMFILE || errno == ENFILE);
}

std::string read_file(const std::string& path, Error::Kind kind) {
  std::optional<std::string> bytes = read_file_if_any(path);
  if (!bytes && is_out_of_descriptors())
    throw environment_error(path + ": cannot be opened: this process may have no more open files; raise ulimit -n");
  if (!bytes) throw Error(kind, path + ": cannot be read");
  return std::move(*bytes);
}

void write_file(const std::string& path, const std::string& bytes) {
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw not_written(path, std::strerror(errno));
}

void replace_file(const std::string& path, const std::string& bytes, const std::string& folder) {
  NewFile file(path, folder);
  file.stream().write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.commit();
}

NewFile::NewFile(std::string path, const std::string& folder)
    : path_(end_of_links(path)),
      partial_(folder.empty() ? fmt::format("{}.{}.partial", path_, unique_name()) : folder + "/" + unique_name()) {
  if (is_no_file(path_)) partial_.clear();
  errno = 0;
  stream_.open(partial_.empty() ? path_ : partial_, std::ios::binary);
  if (!stream_) throw not_written(path_, std::strerror(errno));
}

NewFile::~NewFile() {
  std::error_code ignored;
  if (!partial_.empty()) fs::remove(partial_, ignored);
}

void NewFile::commit() {
  errno = 0;
  stream_.close();
  if (!stream_) throw not_written(path_, std::strerror(errno));
  if (partial_.empty()) return;
  std::error_code failed;
  fs::rename(partial_, path_, failed);
  if (failed) throw not_written(path_, failed.message());
  partial_.clear();
}

std::string unique_name() {
  static std::atomic<int> count{0};
  return fmt::format("{}-{}", getpid(), count++);
}

std::string FileHashes::of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return "absent";
  const long long time_ns = status.st_mtim.tv_sec * 1'000'000'000ll + status.st_mtim.tv_nsec;
  const auto known = known_.find(path);
  if (known != known_.end() && known->second.size == status.st_size && known->second.time_ns == time_ns &&
      known->second.inode == status.st_ino)
    return known->second.hash;
  const std::optional<std::string> bytes = read_file_if_any(path);
  if (!bytes) return "absent";
  const std::string hash = sha256_hex(*bytes);
  if (std::time(nullptr) - status.st_mtim.tv_sec > 1) known_[path] = {status.st_size, time_ns, status.st_ino, hash};
  return hash;
}

}  // namespace harness
