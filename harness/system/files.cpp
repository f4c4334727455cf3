#include "harness/system/files.h"

#include <sys/stat.h>

#include <ctime>
#include <fstream>
#include <iterator>

#include "harness/core/error.h"
#include "harness/core/hash.h"

namespace harness {

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw environment_error(path + " cannot be read");
  return bytes;
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw environment_error(path + " cannot be written; is the disk full, or the folder of another user?");
}

std::string FileHashes::of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return "absent";
  const long long time_ns = status.st_mtim.tv_sec * 1'000'000'000ll + status.st_mtim.tv_nsec;
  const auto known = known_.find(path);
  if (known != known_.end() && known->second.size == status.st_size && known->second.time_ns == time_ns &&
      known->second.inode == status.st_ino)
    return known->second.hash;
  const std::string hash = sha256_hex(read_file(path));
  if (std::time(nullptr) - status.st_mtim.tv_sec > 1) known_[path] = {status.st_size, time_ns, status.st_ino, hash};
  return hash;
}

}  // namespace harness
