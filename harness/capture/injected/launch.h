#pragma once
#include <array>
#include <string>
#include <tuple>
#include <vector>

#include "harness/capture/injected/interfaces.h"

namespace harness::injected {

/// A kernel with its grid, block and dynamic shared memory: launches that are counted together.
using LaunchKey = std::tuple<std::string, std::array<std::int64_t, 3>, std::array<std::int64_t, 3>, std::int64_t>;

/// A value that a launch passes. `allocation` > 0: it is an address in device memory, with so many bytes behind it up
/// to the end of its allocation.
struct Passed {
  std::size_t offset = 0;
  std::vector<unsigned char> bytes;
  std::size_t allocation = 0;
  std::uint64_t address() const;
};

/// A launch as the program asked for it.
struct Asked {
  LaunchKey key;
  void* function = nullptr;
  void* stream = nullptr;
  void** values = nullptr;
  void** extra = nullptr;
};

/// Nothing (false): this callback is no launch of a kernel.
bool read_launch(std::uint32_t id, const CallbackData& data, Asked& asked);

/// The values behind a launch; empty where the driver cannot tell a kernel's parameters.
std::vector<Passed> passed_values(const Asked& asked, const Driver& driver);

/// {"name":...,"grid":[..],"block":[..],"shared":N
std::string key_json(const LaunchKey& key);
/// [{"offset":0,"hex":"00ff","allocation":4096},...]
std::string passed_json(const std::vector<Passed>& values);
std::string quoted(const std::string& text);

}  // namespace harness::injected
