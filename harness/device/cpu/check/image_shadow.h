#pragma once
#include <span>
#include <string>
#include <vector>

#include "harness/core/device.h"
#include "harness/device/cpu/check/shadow.h"

namespace harness::cpu {

/// The image of a checked run: which bytes belong to which buffer, and what has happened to them.
class ImageShadow {
 public:
  struct Buffer {
    std::string name;
    std::size_t offset = 0, bytes = 0;
    bool writable = false;  // no pure input and no table of pointers
    bool defined = false;   // holds values before the plan begins: inputs, inouts, zeroed workspaces
  };

  ImageShadow(const Executable& executable, std::span<const std::byte> image);

  bool contains(std::uintptr_t address) const { return address - base_ < bytes_; }
  std::size_t offset(std::uintptr_t address) const { return address - base_; }
  /// The buffer that holds the byte; nullptr: none.
  const Buffer* at(std::size_t offset) const;
  /// The buffer whose edge is next to a byte that lies in none; nullptr: the image has no buffers.
  const Buffer* nearest(std::uintptr_t address) const;
  std::uintptr_t base() const { return base_; }
  std::size_t bytes() const { return bytes_; }
  const Shadow& shadow() const { return shadow_; }

 private:
  static constexpr std::size_t kLineBytes = 256;

  std::uintptr_t base_ = 0;
  std::size_t bytes_ = 0;
  std::vector<Buffer> buffers_;       // ascending, no views
  std::vector<std::uint32_t> first_;  // by line of the image: the first buffer that ends behind the line's start
  Shadow shadow_;
};

}  // namespace harness::cpu
