#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/profile.h"

// NVIDIA's command line profiler, ncu, which runs a program and reads the counters of its kernels.
namespace harness::cuda {

/// In PATH, then in the toolkit's folders; "" where it is not installed.
std::string find_ncu();

/// The program with what makes it count for `counter_names()` and write CSV into `log`.
std::vector<std::string> ncu_command(const std::string& program, const std::string& log);

/// One kernel of ncu's CSV.
struct NcuKernel {
  std::string name;
  std::vector<ProfileNumber> numbers;
};

/// All kernels of a log, in the order in which they ran. Values with separators of thousands and scaled units ("1.5
/// Kbyte", "2 us") are read. Throws Error with ncu's own words where it counted nothing, for lack of permission, say.
std::vector<NcuKernel> read_ncu(std::string_view log);

}  // namespace harness::cuda
