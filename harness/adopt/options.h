#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/adopt/kernel.h"
#include "harness/adopt/problem.h"

namespace harness::adopt {

/// What a person asks of `harness adopt`, as texts.
struct AdoptOptions {
  std::string file, name;
  std::vector<std::string> entries;
  std::vector<std::string> arguments;  // "out[N,C] f32", "idx[N] s32 < V", "sum[1] f32 zeroed"
  std::vector<std::string> sizes;      // "N=8192,7", "eps=1e-5"
  std::vector<std::string> includes;   // folders of headers
  std::vector<std::string> settings;   // "act=3", "C=D+2*D*deg"
  std::string grid, block, shared;
  std::vector<std::string> tune;  // "BLOCK=64,128,256"
  std::string reference;
  std::string path;  // of the file as the manifest notes it; "": not at all
  bool yes = false;
  bool from_begin = false;  // where the launch passes x + 3, x is the kernel's array (adopt/unpack.h)
  /// Filled in by source_of where the entry is a function of the host that launches several kernels, which `entries`
  /// then has (adopt/sequence.h).
  std::string function;
  std::set<std::string> scratch;
  std::string in_front_of;         // filled in by source_of: the file's kernel behind the one in front
  std::optional<Problem> problem;  // that the kernel is said to solve
  std::vector<Dtype> dtypes;       // of a kernel for several types: the first that is one of these
};

/// The file that the options name, with a kernel in front of the chosen one where that takes structures by value
/// (adopt/unpack.h); `options` then names the one in front, and has what pragmas answer. `digest`: of the file as it
/// is. `notes`: what was left out.
Source source_of(AdoptOptions& options, std::string& digest, std::vector<std::string>& notes);

/// The kernel that the options choose, with its launch and what its signature alone says. Throws Error(bad_input) with
/// what is missing or ambiguous.
AdoptedKernel choose_kernel(const Source& source, const AdoptOptions& options);

/// --arg and --size, once the signature is known.
void apply_answers(AdoptedKernel& kernel, const AdoptOptions& options);

}  // namespace harness::adopt
