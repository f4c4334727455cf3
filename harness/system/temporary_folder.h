#pragma once
#include <filesystem>
#include <string>

namespace harness {

/// An empty folder in TMPDIR that only this user may enter; gone afterwards with all that is in it.
class TemporaryFolder {
 public:
  /// `what` is a part of its name. Throws Error(environment).
  explicit TemporaryFolder(const std::string& what);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::string path(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace harness
