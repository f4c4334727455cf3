#include "harness/store/file_system.h"

#include <fmt/format.h>
#include <sys/vfs.h>

#include <filesystem>
#include <utility>

namespace harness::store {

std::optional<std::string> network_file_system(unsigned long magic) {
  static constexpr std::pair<unsigned long, const char*> kNetwork[] = {
      {0x6969, "NFS"},        {0x517b, "SMB"},      {0xff534d42, "CIFS"},   {0xfe534d42, "SMB2"},
      {0x5346414f, "AFS"},    {0x6b414653, "AFS"},  {0x73757245, "Coda"},   {0x00c36400, "Ceph"},
      {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"}, {0x19830326, "BeeGFS"}, {0x013111a8, "IBRIX"},
      {0xaad7aaea, "PanFS"},
  };
  for (const auto& [number, name] : kNetwork)
    if (number == magic) return name;
  return std::nullopt;
}

std::optional<std::string> network_file_system(const std::string& folder) {
  struct statfs facts {};
  if (statfs(folder.c_str(), &facts) != 0) return std::nullopt;  // opening the file will say what is wrong
  return network_file_system(static_cast<unsigned long>(facts.f_type) & 0xffffffffUL);
}

std::string sqlite_uri(const std::string& path) {
  std::string uri = "file:";
  for (const unsigned char c : std::filesystem::absolute(path).string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
                       c == '.' || c == '_' || c == '-';
    if (plain) uri += static_cast<char>(c);
    else uri += fmt::format("%{:02x}", c);
  }
  return uri;
}

}  // namespace harness::store
