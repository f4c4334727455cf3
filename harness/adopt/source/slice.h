#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/adopt/source/source.h"

namespace harness::adopt {

/// The device part of a source: what a kernel needs, in its author's words.
struct DeviceSource {
  std::string text;
  std::vector<std::string> left_out;   // what was not taken and why, sentences
  std::vector<std::string> headers;    // that it includes
  bool torch = false;                  // types of PyTorch were mapped
  std::vector<std::size_t> constants;  // `__constant__` variables that it leaves to the host: their declarations
};

/// `kernel`: index of its declaration. `tuned`: macros and constants that a configuration defines; their definitions
/// stand only where it does not. `host`: it is a function of the host, which becomes one of the device with all that it
/// calls. `besides`: a text whose names are needed too, such as the template arguments of the launch. `further`:
/// kernels that are launched too.
DeviceSource device_source(const Source& source, std::size_t kernel, const std::set<std::string>& tuned,
                           bool host = false, const std::string& besides = "",
                           const std::set<std::string>& further = {});

/// The text of a kernel as a function of the device, which the kernel in front of it calls (adopt/unpack.h).
std::string as_device_function(const std::string& text);

}  // namespace harness::adopt
