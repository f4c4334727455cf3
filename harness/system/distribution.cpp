#include "harness/system/distribution.h"

#include <fmt/format.h>

#include <sstream>

#include "harness/system/files.h"

namespace harness {
namespace {

/// A family of distributions, as ID or ID_LIKE names it.
struct Family {
  const char* name;
  const char* command;
};
constexpr Family kFamilies[] = {{"debian", "apt-get install g++"},  {"ubuntu", "apt-get install g++"},
                                {"fedora", "dnf install gcc-c++"},  {"rhel", "dnf install gcc-toolset-12-gcc-c++"},
                                {"suse", "zypper install gcc-c++"}, {"opensuse", "zypper install gcc-c++"},
                                {"arch", "pacman -S gcc"},          {"alpine", "apk add g++"},
                                {"gentoo", "emerge sys-devel/gcc"}, {"nixos", "nix-env -iA nixos.gcc"}};

/// The value of a line KEY=value, without quotes.
std::string value_of(const std::string& os_release, const std::string& key) {
  std::istringstream lines(os_release);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(key + "=")) {
      std::erase_if(line, [](char c) { return c == '"' || c == '\''; });
      return line.substr(key.size() + 1);
    }
  return "";
}

}  // namespace

std::string gxx_install_command(const std::string& os_release) {
  // Itself first, then what it is like: Rocky Linux says "rhel centos fedora".
  std::istringstream names(value_of(os_release, "ID") + " " + value_of(os_release, "ID_LIKE"));
  for (std::string name; names >> name;)
    for (const Family& family : kFamilies)
      if (name == family.name) return family.command;
  return "install g++ with this distribution's package manager";
}

std::string gxx_install_command() {
  return gxx_install_command(read_file_if_any("/etc/os-release").value_or(""));
}

}  // namespace harness
