#pragma once
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/adopt/source/declarations.h"
#include "harness/adopt/source/launch.h"
#include "harness/adopt/source/source_text.h"

namespace harness::adopt {

/// What the adopted file and its own headers say, read once: the files, these first, each behind those that it
/// includes; what a front end knows of them; and what their tokens say besides.
struct Source {
  std::vector<std::unique_ptr<SourceText>> files;
  Parsed parsed;
  std::string digest;                // of the file as it is
  std::vector<HostLaunch> launches;  // of all files, in their order
  std::vector<std::string> kernels;  // names of kernels, each once, in their order
  /// `__constant__` variables by their names without namespaces: that the host fills (cudaMemcpyToSymbol), and of which
  /// it takes the address (cudaGetSymbolAddress).
  std::set<std::string> filled, addressed;

  const SourceText& main() const { return *files.back(); }
  /// Where a declaration stands; nullptr: in none of the files, or in no piece of them.
  struct Place {
    const SourceText* file = nullptr;
    const Chunk* chunk = nullptr;
  };
  std::vector<Place> places;  // of parsed.declarations
};

/// Headers of templates that stay whole, as the toolkit's do: of CuTe and CUTLASS, of CCCL.
bool of_library(const std::string& header);

/// What is read besides the file.
struct Beside {
  std::vector<std::string> folders;  // of headers that do not lie beside the file that includes them
  std::vector<std::string> defines;  // "WIDTH=64", as on a compiler's command line
  std::vector<std::string> hosts;    // files that launch the kernel: read as if the file included them at its end
};

/// Reads and parses. Headers are looked for beside the file that includes them, then in the folders. Throws
/// Error(bad_input) for a file that cannot be read, Error(environment) without a parser.
Source read_cuda_source(const std::string& path, const Beside& beside = {});
/// `text` stands in the place of what the file holds.
Source read_cuda_text(const std::string& path, const std::string& text, const Beside& beside = {});

}  // namespace harness::adopt
