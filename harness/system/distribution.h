#pragma once
#include <string>

namespace harness {

/// The command that installs GCC's C++ compiler, by the text of /etc/os-release; a sentence where it is not known.
std::string gxx_install_command(const std::string& os_release);
/// The same for this machine.
std::string gxx_install_command();

}  // namespace harness
