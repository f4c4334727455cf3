#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/machine_code.h"

namespace harness::cuda {

/// From this address on, code comes from this place.
struct LineRow {
  std::uint64_t address = 0;
  CodePlace place;
  std::size_t caller = 0;  // the row, counted from 1, of the place that the function was inlined into; 0: none
};
/// Of one function, by address.
using LineRows = std::vector<LineRow>;

/// The functions of a .debug_line section (DWARF 2, with NVIDIA's extended operations for inlined functions), in its
/// order. What is cut short or in another format ends the list.
std::vector<LineRows> read_line_table(std::string_view section);

/// The innermost place at `address`, then where that was inlined; empty: unknown.
std::vector<CodePlace> places_at(const LineRows& rows, std::uint64_t address);

}  // namespace harness::cuda
