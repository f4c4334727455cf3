#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/adopt/source/source.h"

// The kernels that a source declares, and whether one can be adopted.
namespace harness::adopt {

/// Index of the kernel's declaration: its definition where there is one.
std::size_t index_of(const Source& source, const std::string& name);

/// "template <class T, int N>" as it stands before a function, with the end of its line; "" where it is no template.
std::string template_head(const Source::Place& function);

/// "float*,int" of (const float* __restrict__ x, int n): what tells overloads apart.
std::string types_of(std::string_view parameters);
std::string types_of(const Declaration& kernel);
/// Kernels of one name that differ in their parameters: their declarations.
std::vector<std::size_t> overloads_of(const Source& source, const std::string& name);

/// What libclang did not know would be taken for an int. Throws Error(bad_input), like the two below.
void refuse_broken_signature(const Source& source, std::size_t index);
/// One name for several kernels, of which a launch would choose by its arguments.
void refuse_overloads(const Source& source, std::size_t index);
/// Where braces do not close, nothing that follows is what it seems.
void refuse_unclosed(const Source& source);

}  // namespace harness::adopt
