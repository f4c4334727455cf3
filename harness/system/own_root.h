#pragma once
#include <string>
#include <vector>

#include "harness/system/reach.h"

namespace harness {

/// A root folder of a process's own that holds nothing but a reach, by user, mount, process, IPC and host-name
/// namespaces: what lies elsewhere does not exist there, so not even its existence can be observed. There is no /proc.
class OwnRoot {
 public:
  explicit OwnRoot(const Reach& reach);
  /// Leaves every other file and process behind. The caller goes on as the first process of its namespace: a child of
  /// the process that called, which waits, ends as its child ends and never returns. Async-signal-safe.
  bool enter() const;
  /// The same for files alone: the process keeps its number and its parent. Async-signal-safe.
  bool enter_files() const;

 private:
  struct RootEntry {
    std::string path;                  // where it is seen
    std::string source;                // where it really is, below the root that is left
    std::vector<std::string> folders;  // that lead to it
    bool is_folder = true, writable = false;
  };
  void add(const std::string& path, bool writable);
  void drop_seen_anyway();
  bool map_ids() const;
  bool change_root() const;
  bool mount_places() const;
  std::vector<RootEntry> places_;
  std::string user_map_, group_map_;
};

}  // namespace harness
