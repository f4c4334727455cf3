#pragma once
#include <string>

#include "harness/package/launcher/launcher.h"

namespace harness::package {

/// NAME_torch.cpp: the kernel of the PyTorch operator on PyTorch's stable C interface; it includes no header of
/// PyTorch. "" where no tensor is read, or none of the types has a name in PyTorch: then the module in Python calls the
/// launcher itself.
std::string torch_operator(const Launcher& launcher);

}  // namespace harness::package
