#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace harness::cuda {

/// What a cubin says of one kernel in its .nv.info sections.
struct CubinKernel {
  int registers = 0;
  std::int64_t frame_bytes = 0;               // local memory of a thread
  int launch_bounds = 0;                      // product of __launch_bounds__; 0 where there are none
  std::vector<std::int64_t> parameter_bytes;  // in order; by-value structs by their size
};

struct Cubin {
  std::map<std::string, CubinKernel> kernels;  // by mangled name
  std::vector<std::string> variables;          // mangled names of what lies in global and in constant memory
  /// SHA-256 of instructions, their relocations and constant data: equal when the machine code is equal, whatever the
  /// source looked like.
  std::string code_hash;
};

struct CubinSection {
  std::string name;
  std::string_view bytes;  // within the image; empty for sections without contents
};
/// Throws Error when the image is none.
std::vector<CubinSection> cubin_sections(std::string_view image);

/// Reads an ELF image as NVRTC makes it. Throws Error when it is not one; never reads outside of `image`.
Cubin parse_cubin(std::string_view image);

/// SHA-256 of what a loader reads of an image: everything but tables of lines, which name folders of the machine that
/// compiled it. Throws Error when the image is none.
std::string image_hash(std::string_view image);

}  // namespace harness::cuda
