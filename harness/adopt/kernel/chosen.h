#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/adopt/host/sequence.h"
#include "harness/adopt/kernel/options.h"
#include "harness/adopt/source/launch.h"

// Which kernel of a file is meant.
namespace harness::adopt {

/// The name of the kernel to adopt. Throws Error(bad_input) where several could be meant, or none.
std::string kernel_to_adopt(const Source& source, const AdoptOptions& options);
/// The launch of a kernel: its own, else the only one through a variable that may hold it: of as many arguments, and of
/// no kernel's name. nullptr: there is none.
/// `line`: the one that stands there; 0: the first.
const HostLaunch* launch_of(const Source& source, std::size_t kernel, int line = 0);
/// The function of the host that `options` name, where it launches several kernels. One that launches a single kernel
/// stands for that: `options` then name it.
std::optional<Sequence> chosen_sequence(const Source& source, AdoptOptions& options);
/// ENTRY may be "kernel(float*, int)": the text of the file in which that one alone has its name, its lines where they
/// were; `options` then name the kernel. Nothing: ENTRY has no types.
std::optional<std::string> with_one_overload(const Source& source, AdoptOptions& options);

}  // namespace harness::adopt
