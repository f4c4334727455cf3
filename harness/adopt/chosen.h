#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/adopt/launches.h"
#include "harness/adopt/options.h"
#include "harness/adopt/sequence.h"
#include "harness/adopt/source.h"

// Which kernel of a file is meant, and whether it is one that can be adopted.
namespace harness::adopt {

/// The name of the kernel to adopt. Throws Error(bad_input) where several could be meant, or none.
std::string kernel_to_adopt(const Source& source, const AdoptOptions& options,
                            const std::vector<FoundLaunch>& launches);
/// The function of the host that `options` name, where it launches several kernels. One that launches a single kernel
/// stands for that: `options` then name it.
std::optional<Sequence> chosen_sequence(const Source& source, AdoptOptions& options);
/// Index of the kernel's declaration: its definition where there is one.
std::size_t index_of(const Source& source, const std::string& name);
std::string qualified_name(const Source& source, std::size_t index);
/// What libclang did not know would be taken for an int.
void refuse_broken_signature(const Source& source, std::size_t index);
/// One name for several kernels, of which a launch would choose by its arguments.
void refuse_overloads(const Source& source, std::size_t index);
/// ENTRY may be "kernel(float*, int)": the text of the file in which that one alone has its name, its lines where they
/// were; `options` then name the kernel. Nothing: ENTRY has no types.
std::optional<std::string> with_one_overload(const Source& source, AdoptOptions& options);
/// Which template arguments were taken, where the file launches it with several.
void note_of_templates(const std::vector<FoundLaunch>& launches, const Declaration& kernel,
                       std::vector<std::string>& notes);

}  // namespace harness::adopt
