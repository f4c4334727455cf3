#include "harness/system/driver_release.h"

#include <fstream>
#include <string>

namespace harness {

json driver_release() {
  std::ifstream file("/sys/module/nvidia/version");
  std::string release;
  return file >> release ? json(release) : json();
}

}  // namespace harness
