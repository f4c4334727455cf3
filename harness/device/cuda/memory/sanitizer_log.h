#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/json.h"
#include "harness/core/memory_check.h"

namespace harness {

/// Where a buffer lay while compute-sanitizer watched: its addresses in the log become names.
struct PlacedBuffer {
  std::string name;
  std::uint64_t address = 0;
  std::int64_t bytes = 0, element_bytes = 1;
};

/// The findings in a log of compute-sanitizer (any of its four tools). Errors of many threads at one place are one
/// finding, which says how many more there are. What follows from an error, such as the failed call, is none.
std::vector<Finding> read_sanitizer_log(std::string_view log, const std::vector<PlacedBuffer>& buffers);

/// Whether the tool got to its closing line; if not, it did not work on this machine or was stopped.
bool has_sanitizer_summary(std::string_view log);

void to_json(json& to, const PlacedBuffer& value);
void from_json(const json& from, PlacedBuffer& value);

}  // namespace harness
