#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/adopt/kernel/problem.h"

namespace harness::adopt {

/// What a person asks of `harness adopt`, as texts.
struct AdoptOptions {
  std::string file, name;
  std::vector<std::string> entries;
  std::vector<std::string> arguments;  // "out[N,C] f32", "idx[N] s32 < V", "sum[1] f32 zeroed"
  std::vector<std::string> sizes;      // "N=8192,7", "eps=1e-5"
  std::vector<std::string> includes;   // folders of headers
  std::vector<std::string> hosts;      // further files that launch the kernel; none: they are looked for
  std::vector<std::string> settings;   // "act=3", "C=D+2*D*deg"
  std::string grid, block, shared;
  std::vector<std::string> tune;     // "BLOCK=64,128,256"
  std::vector<std::string> types;    // "T=f16,bf16"
  std::vector<std::string> defines;  // "WIDTH=64", as on a compiler's command line
  int launch_line = 0;               // which launch of the kernel, where the file has several; 0: the only one
  int launch_number = 0;             // the same counted from 1, as a plugin notes it; 0: not said
  std::string reference;
  std::string path;  // of the file as the manifest notes it; "": not at all
  bool yes = false;
  bool from_begin = false;  // where the launch passes x + 3, x is the kernel's array (adopt/host/unpack.h)
  /// Numbers of the host's function that its block is made of and arrays are as large as: no tunable parameters.
  std::vector<std::string> sizes_of_block;
  std::optional<Problem> problem;  // that the kernel is said to solve
  std::vector<Dtype> dtypes;       // of a kernel for several types: the first that is one of these
};

}  // namespace harness::adopt
