#include "harness/system/distribution.h"

#include <catch2/catch.hpp>

using namespace harness;

TEST_CASE("the command that brings g++ is the distribution's own") {
  CHECK(gxx_install_command("ID=debian\n") == "apt-get install g++");
  CHECK(gxx_install_command("NAME=\"Linux Mint\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n") == "apt-get install g++");
  CHECK(gxx_install_command("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n") == "dnf install gcc-toolset-12-gcc-c++");
  CHECK(gxx_install_command("ID=fedora\n") == "dnf install gcc-c++");
  CHECK(gxx_install_command("ID='opensuse-leap'\nID_LIKE='suse opensuse'\n") == "zypper install gcc-c++");
  CHECK(gxx_install_command("") == "install g++ with this distribution's package manager");
  CHECK(gxx_install_command("MY_ID=debian\n") == "install g++ with this distribution's package manager");
}
