#pragma once
#include <string>
#include <vector>

#include "harness/adopt/host/resolver.h"

// Types that a launch does not write: what a template parameter is by the arguments of the call, and what a dispatch
// goes over.
namespace harness::adopt {

/// The type that the template parameter `name` of the kernel is deduced to be, without typedefs: "unsigned char";
/// "scalar_t" where the host's function is a template or a dispatch itself. "": no argument says it.
std::string deduced_type(const KernelLaunch& at, const std::string& name);

/// A type without the names that the files, or the host's function, give it.
std::string type_without_names(const KernelLaunch& at, const std::string& type);

/// The element types that a dispatch goes over, "f32"; of a macro of the program's own, those of its definition.
/// `text`: "AT_DISPATCH_FLOATING_TYPES(x.scalar_type(),". Empty: its macro is defined in no file that was read.
std::vector<std::string> dispatched_types(const Source& source, const std::string& text);

}  // namespace harness::adopt
