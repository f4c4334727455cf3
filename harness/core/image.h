#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/json.h"

// Memory image of one launch: every buffer of a problem and a plan in one contiguous block with guard zones between
// them. The judge paints it (inputs, poison, guards), a runner carries it to the device, runs the plan and brings it
// back, and the judge reads it again: the runner needs no knowledge of what the bytes mean.
namespace harness {

/// An address to be written into a buffer of pointers: at byte `at` of the image goes the device address of `target`.
struct Relocation {
  std::int64_t at = 0;
  std::int64_t target = 0;
};

struct ImageBuffer {
  std::string name;         // argument or workspace
  std::int64_t offset = 0;  // of the payload within the image, bytes
  std::int64_t bytes = 0;
  bool restored = false;  // changes during a run and must be pristine before the next: inout, zeroed workspace
  // How fresh values are made of those drawn: row i becomes what row (i + r) % rows was. A row is `row_bytes` long, the
  // next starts `unit_bytes` further on; what lies between rows stays. rows = 0: must not be rotated.
  std::int64_t unit_bytes = 0, row_bytes = 0, rows = 0;
};

/// Guard zones fill everything that no buffer covers. The image is placed at an address aligned to 4096 bytes.
struct ImageLayout {
  std::int64_t bytes = 0;
  std::vector<ImageBuffer> buffers;  // ascending offsets; views point into other buffers and are listed last
  std::vector<Relocation> relocations;
};

const ImageBuffer* find_buffer(const ImageLayout& layout, const std::string& name);

void to_json(json& to, const Relocation& value);
void from_json(const json& from, Relocation& value);
void to_json(json& to, const ImageBuffer& value);
void from_json(const json& from, ImageBuffer& value);
void to_json(json& to, const ImageLayout& value);
void from_json(const json& from, ImageLayout& value);

}  // namespace harness
