#include "harness/system/landlock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "harness/core/error.h"

// The kernel's interface is spelled out here: the headers of the machine that builds are often older than the kernel of
// the machine that runs. Source: Documentation/userspace-api/landlock.rst.
namespace harness {
namespace {

constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;

struct RulesetAttributes {
  std::uint64_t files = 0, network = 0, scoped = 0;
};
struct __attribute__((packed)) PathRule {
  std::uint64_t allowed = 0;
  std::int32_t folder = -1;
};

constexpr std::uint64_t kExecute = 1 << 0, kWriteFile = 1 << 1, kReadFile = 1 << 2, kReadFolder = 1 << 3;
constexpr std::uint64_t kRemoveFolder = 1 << 4, kRemoveFile = 1 << 5, kMakeFolder = 1 << 7, kMakeFile = 1 << 8;
constexpr std::uint64_t kRefer = 1 << 13;  // links and renames from one folder to another
constexpr std::uint64_t kTruncate = 1 << 14;
constexpr std::uint64_t kControlDevice = 1 << 15;  // ioctl
constexpr int kControlVersion = 5;
constexpr std::uint64_t kReading = kReadFile | kReadFolder;
constexpr std::uint64_t kWriting = kReading | kWriteFile | kRemoveFile | kRemoveFolder | kMakeFolder | kMakeFile;
constexpr std::uint64_t kForFiles = kExecute | kWriteFile | kReadFile | kTruncate;

// Every right of its time is handled, so that what is not allowed is forbidden.
std::uint64_t file_rights(int version) {
  const int bits = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
  return (std::uint64_t{1} << bits) - 1;
}

RulesetAttributes everything(int version) {
  RulesetAttributes attributes;
  attributes.files = file_rights(version);
  if (version >= 4) attributes.network = 3;  // binding and connecting TCP
  if (version >= 6) attributes.scoped = 3;   // abstract sockets and signals stay among its own
  return attributes;
}

std::size_t known_bytes(int version) {
  return version >= 6 ? 24 : version >= 4 ? 16 : 8;
}

}  // namespace

int landlock_version() {
  static const long version = syscall(kCreateRuleset, nullptr, 0, 1);
  return version > 0 ? static_cast<int>(version) : 0;
}

LandlockRules::LandlockRules(const Reach& reach) {
  const int version = landlock_version();
  const RulesetAttributes attributes = everything(version);
  rules_ = static_cast<int>(syscall(kCreateRuleset, &attributes, known_bytes(version), 0));
  if (rules_ < 0) throw environment_error(fmt::format("Landlock refuses its rules: {}", std::strerror(errno)));
  for (const std::string& path : reach.readable) allow(path, kReading);
  for (const std::string& path : reach.programs) allow(path, kReading | kExecute);
  if (!reach.writable.empty())
    allow(reach.writable, kWriting | (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0));
}

LandlockRules::~LandlockRules() {
  if (rules_ >= 0) close(rules_);
}

void LandlockRules::allow(const std::string& path, unsigned long long rights) const {
  PathRule rule;
  rule.folder = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (rule.folder < 0) return;
  struct stat status {};
  const bool is_folder = fstat(rule.folder, &status) == 0 && S_ISDIR(status.st_mode);
  rule.allowed = is_folder ? rights : rights & kForFiles;
  // A device that may be read is worked with: what that can do is the driver's to say.
  if (S_ISCHR(status.st_mode) && (rights & kReadFile) != 0)
    rule.allowed |= kWriteFile | (landlock_version() >= kControlVersion ? kControlDevice : 0);
  const long added = syscall(kAddRule, rules_, 1, &rule, 0);
  const int reason = errno;
  close(rule.folder);
  if (added != 0) throw environment_error(fmt::format("Landlock refuses {}: {}", path, std::strerror(reason)));
}

bool LandlockRules::enter() const {
  return syscall(kRestrictSelf, rules_, 0) == 0;
}

}  // namespace harness
