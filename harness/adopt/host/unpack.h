#pragma once
#include <optional>
#include <string>

#include "harness/adopt/source/launch.h"
#include "harness/adopt/source/source.h"

namespace harness::adopt {

/// What a kernel that takes structures by value becomes: a kernel of its own in front of it, whose parameters are their
/// parts, in the text of the file.
struct Unpacked {
  std::string text;    // of the whole file
  std::string kernel;  // the name of the kernel in front
};

/// "norms" of the kernel in front of it; "": the name is of none.
std::string behind_front(const std::string& name);

/// A tensor accessor (torch::PackedTensorAccessor32<T, N>) becomes a pointer and the sizes that the host's tensors
/// have; a structure becomes its fields. Nothing: the kernel takes neither. `launch`: of the kernel, nullptr where
/// there is none. Throws Error(bad_input) for what has parts that are no numbers and no arrays of numbers.
/// `from_begin`: where the launch passes x + 3, the kernel in front takes x, since the kernel reads before x + 3.
std::optional<Unpacked> unpack(const Source& source, std::size_t kernel, const HostLaunch* launch,
                               bool from_begin = false);

}  // namespace harness::adopt
