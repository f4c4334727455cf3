#pragma once
#include "harness/device/port/device_kind.h"

namespace harness {

/// The whole program over these kinds of devices: the command line, or a worker (`harness worker ...`). Returns the
/// exit status.
int run_program(int argc, char** argv, const DeviceKinds& kinds);

}  // namespace harness
