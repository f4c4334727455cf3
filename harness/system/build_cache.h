#pragma once
#include <optional>
#include <string>

namespace harness {

/// Finished builds on disk, each a folder of files under the key of all that decided it; shared by processes. A build
/// is made in a folder of its own and then moved in by one rename: others see all of it or nothing. Nothing is ever
/// removed but what killed builds leave behind. What the files of a build are is its compiler's own business.
class BuildCache {
 public:
  /// `folder` is made when something is first written to it. Removes what builds of more than an hour ago left.
  explicit BuildCache(const std::string& folder);

  /// Where the build with this key is, absolute; nothing where there is none.
  std::optional<std::string> find(const std::string& key) const;
  /// A new empty folder for one build, to be given to `store` or `discard`. Throws environment_error if none can be
  /// made.
  std::string scratch() const;
  /// Moves the finished build in and returns where it is now. If another process was first, its build is kept. Throws
  /// environment_error if that fails.
  std::string store(const std::string& key, const std::string& scratch) const;
  /// For a build that is found damaged, so that it can be stored anew.
  void remove(const std::string& key) const;
  static void discard(const std::string& scratch);

  /// Small texts beside the builds, for what leads to a key.
  std::optional<std::string> note(const std::string& name) const;
  void keep_note(const std::string& name, const std::string& text) const;

 private:
  std::string place(const std::string& key) const { return folder_ + "/artifacts/" + key; }
  std::string folder_;
};

}  // namespace harness
