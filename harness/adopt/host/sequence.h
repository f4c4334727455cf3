#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/adopt/source/source.h"

namespace harness::adopt {

/// A function of the host that launches several kernels, one behind the other, or some of them where sizes say so. In
/// `text`, the text of the file, each of its launches is one of a kernel in front (as in adopt/unpack.h), and all
/// kernels in front have the same parameters: every array and number that the function passes to any of its kernels.
struct Sequence {
  std::string function, text;
  std::vector<std::string> kernels;  // in front, in the order of their launches
  std::set<std::string> scratch;     // arrays that live only from one launch to another
  std::string only;                  // of a function with one launch: its kernel, and nothing else is filled in
};

/// Nothing: the file has no such function, or it launches no kernel. Throws Error(bad_input) for a function that
/// launches in a loop, or that does more with memory than launch. `kernel`: only its launches count; "": all.
std::optional<Sequence> sequence_of(const Source& source, const std::string& function, const std::string& kernel = "");

/// The function of the main file in which all launches of a kernel stand, at least two of them, some in branches; "":
/// they do not.
std::string function_that_chooses(const Source& source, const std::string& kernel);

}  // namespace harness::adopt
