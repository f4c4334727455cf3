#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace harness::cpu {

/// What a checked build calls the folder of the emulation's headers in its line table.
inline constexpr const char* kEmulationFolder = "/emulation";

/// Where offsets into a checked candidate's code come from: "kernel.cu:41", or "vec.cuh:12, called at kernel.cu:41"
/// for code of a header that the kernel's own source calls. The emulation's headers are passed over. Asks addr2line,
/// which comes with g++, in a process of its own; an offset that it cannot place is absent, and all are where there is
/// no addr2line.
std::map<std::uint64_t, std::string> source_lines(const std::string& shared_object,
                                                  const std::vector<std::uint64_t>& offsets);

/// The same from what `addr2line -a -i` prints.
std::map<std::uint64_t, std::string> read_source_lines(const std::string& output);

/// Those of the offsets whose innermost code is the emulation's, but for functions that are comparisons themselves
/// (`__hgt`, `isnan`, `operator<` of halves).
std::set<std::uint64_t> sites_within_functions(const std::string& shared_object,
                                               const std::vector<std::uint64_t>& offsets);

/// The same from what `addr2line -a -i -f -C` prints.
std::set<std::uint64_t> read_sites_within_functions(const std::string& output);

/// In which column of its line the innermost code of each offset stands, and in the upper half which calls led there
/// where it was written out in place; nothing for code of the emulation. Asks objdump, which comes with g++.
std::map<std::uint64_t, std::uint32_t> site_columns(const std::string& shared_object,
                                                    const std::vector<std::uint64_t>& offsets);

/// The same from what `objdump --dwarf=rawline` prints.
std::map<std::uint64_t, std::uint32_t> read_site_columns(const std::string& output,
                                                         const std::vector<std::uint64_t>& offsets);

/// Options of g++ that make it so: names of the line table are those that the source was given under, whatever folder
/// the compiler runs in, and only headers begin with '/'.
std::vector<std::string> line_table_options(const std::string& emulation, const std::vector<std::string>& include_dirs);

}  // namespace harness::cpu
