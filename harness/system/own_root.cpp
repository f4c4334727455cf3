#include "harness/system/own_root.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>

namespace harness {
namespace {

namespace fs = std::filesystem;

// Where the root that is left hangs until all is mounted.
constexpr const char* kLeft = "/left-behind";
// Any folder will do to mount the new root on; this one is everywhere.
constexpr const char* kMountPoint = "/tmp";

bool write_whole(const char* file, const std::string& text) {
  const int descriptor = open(file, O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool written = write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(descriptor);
  return written;
}

// Says on standard error, as far as a child between fork and exec can, why there is no root of its own.
bool failed_at(const char* step) {
  char text[200];
  std::size_t length = 0;
  for (const char* part : {"no root of its own: ", step, " failed: ", strerrorname_np(errno), "\n"})
    while (part != nullptr && *part != 0 && length < sizeof text) text[length++] = *part++;
  return write(STDERR_FILENO, text, length) < 0;  // false
}

constexpr int kThisMount = 0, kAllBelow = 0x8000;  // AT_RECURSIVE

// Where the kernel is too old for `kAllBelow`, the mount at `path` alone.
bool make_read_only(const char* path, int depth) {
  struct {
    std::uint64_t set, clear, propagation, user_namespace;
  } attributes{MS_RDONLY | MS_NOSUID, 0, 0, 0};  // MOUNT_ATTR_RDONLY and _NOSUID have the same numbers
  constexpr long kMountSetattr = 442;
  if (syscall(kMountSetattr, AT_FDCWD, path, depth, &attributes, sizeof attributes) == 0) return true;
  return errno == ENOSYS && mount(nullptr, path, nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID, nullptr) == 0;
}

// Ends as `child` ends; the number of a signal travels as 128 more, as in a shell.
[[noreturn]] void end_like(pid_t child) {
  int status = 0;
  close_range(0, ~0U, 0);  // a reader of the child's output must see when it ends
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

bool become_first_process() {
  const pid_t child = _Fork();
  if (child < 0) return false;
  if (child > 0) end_like(child);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return true;
}

bool drop_capabilities() {
  constexpr unsigned kVersion = 0x20080522;
  struct {
    std::uint32_t version;
    std::int32_t process;
  } header{kVersion, 0};
  const std::uint32_t none[6] = {};
  constexpr unsigned long kRootIsNobody = 0x2f;  // SECBIT_NOROOT and its like, all locked
  return prctl(PR_SET_SECUREBITS, kRootIsNobody) == 0 && syscall(SYS_capset, &header, none) == 0;
}

}  // namespace

OwnRoot::OwnRoot(const Reach& reach)
    : user_map_(fmt::format("{0} {0} 1", geteuid())), group_map_(fmt::format("{0} {0} 1", getegid())) {
  for (const std::string& path : reach.readable) add(path, false);
  for (const std::string& path : reach.programs) add(path, false);
  if (!reach.writable.empty()) add(reach.writable, true);
  // A folder before what lies in it, so that nothing is covered.
  std::stable_sort(places_.begin(), places_.end(),
                   [](const RootEntry& a, const RootEntry& b) { return a.path.size() < b.path.size(); });
  drop_seen_anyway();
}

// What lies in a folder that is seen whole needs no mount of its own.
void OwnRoot::drop_seen_anyway() {
  std::vector<RootEntry> kept;
  for (RootEntry& place : places_) {
    const bool seen = std::any_of(kept.begin(), kept.end(), [&](const RootEntry& above) {
      return above.is_folder && place.path.starts_with(above.path + "/");
    });
    if (!seen || place.writable) kept.push_back(std::move(place));
  }
  places_ = std::move(kept);
}

// Under the name it was given and under its real one: compilers use both.
void OwnRoot::add(const std::string& path, bool writable) {
  std::error_code absent;
  const fs::path real = fs::canonical(path, absent);
  if (absent) return;
  for (const std::string& name : {fs::path(path).lexically_normal().string(), real.string()}) {
    const auto same = [&](const RootEntry& place) { return place.path == name; };
    if (std::any_of(places_.begin(), places_.end(), same)) continue;
    RootEntry place{name, kLeft + real.string(), {}, fs::is_directory(real), writable};
    for (std::size_t at = name.find('/', 1); at != std::string::npos; at = name.find('/', at + 1))
      place.folders.push_back(name.substr(0, at));
    places_.push_back(std::move(place));
  }
}

bool OwnRoot::mount_places() const {
  for (const RootEntry& place : places_) {
    for (const std::string& folder : place.folders) mkdir(folder.c_str(), 0755);
    if (place.is_folder) mkdir(place.path.c_str(), 0755);
    else close(open(place.path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    if (mount(place.source.c_str(), place.path.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0)
      return failed_at(place.path.c_str());
    if (!place.writable && !make_read_only(place.path.c_str(), kAllBelow)) return failed_at(place.path.c_str());
  }
  return true;
}

bool OwnRoot::map_ids() const {
  write_whole("/proc/self/setgroups", "deny");
  return (write_whole("/proc/self/uid_map", user_map_) && write_whole("/proc/self/gid_map", group_map_)) ||
         failed_at("uid_map");
}

bool OwnRoot::change_root() const {
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return failed_at("making mounts private");
  if (mount("tmpfs", kMountPoint, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m") != 0) return failed_at("tmpfs");
  if (chdir(kMountPoint) != 0 || mkdir(kLeft + 1, 0755) != 0) return failed_at("the new root");
  if (syscall(SYS_pivot_root, ".", kLeft + 1) != 0 || chdir("/") != 0) return failed_at("pivot_root");
  if (!mount_places()) return false;
  if (umount2(kLeft, MNT_DETACH) != 0 || rmdir(kLeft) != 0) return failed_at("leaving the old root");
  return (make_read_only("/", kThisMount) && drop_capabilities()) || failed_at("dropping capabilities");
}

bool OwnRoot::enter() const {
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS) != 0)
    return failed_at("unshare");
  if (!map_ids()) return false;
  if (!become_first_process()) return failed_at("fork");
  return change_root();
}

bool OwnRoot::enter_files() const {
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS) != 0) return failed_at("unshare");
  return map_ids() && change_root();
}

}  // namespace harness
