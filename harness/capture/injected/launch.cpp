#include "harness/capture/injected/launch.h"

#include <cstdio>
#include <cstring>

namespace harness::injected {
namespace {

/// CU_LAUNCH_PARAM_BUFFER_POINTER: the word behind it points to all values in one block.
const unsigned char* packed_values(void** extra) {
  for (int i = 0; extra != nullptr && extra[i] != nullptr && i < 16; i += 2)
    if (extra[i] == reinterpret_cast<void*>(1)) return static_cast<const unsigned char*>(extra[i + 1]);
  return nullptr;
}

template <typename Sizes>
LaunchKey key_of(const CallbackData& data, const Sizes& from) {
  return {data.symbol != nullptr ? data.symbol : "",
          {from.grid[0], from.grid[1], from.grid[2]},
          {from.block[0], from.block[1], from.block[2]},
          from.shared};
}

template <typename List>
std::string numbers(const List& list) {
  std::string text;
  for (const auto& each : list) text += (text.empty() ? "" : ",") + std::to_string(each);
  return "[" + text + "]";
}

std::string hex(const std::vector<unsigned char>& bytes) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char each : bytes) {
    text += kDigits[each >> 4];
    text += kDigits[each & 15];
  }
  return text;
}

}  // namespace

std::uint64_t Passed::address() const {
  std::uint64_t value = 0;
  if (bytes.size() == sizeof(value)) std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

bool read_launch(std::uint32_t id, const CallbackData& data, Asked& asked) {
  if (id == kLaunchKernel || id == kLaunchKernelPtsz) {
    const auto& from = *static_cast<const LaunchParameters*>(data.parameters);
    asked = {key_of(data, from), from.function, from.stream, from.values, from.extra};
    return true;
  }
  if (id == kLaunchKernelEx || id == kLaunchKernelExPtsz) {
    const auto& from = *static_cast<const LaunchExParameters*>(data.parameters);
    if (from.config == nullptr) return false;
    asked = {key_of(data, *from.config), from.function, from.config->stream, from.values, from.extra};
    return true;
  }
  return false;
}

std::vector<Passed> passed_values(const Asked& asked, const Driver& driver) {
  constexpr std::size_t kMostValues = 256, kMostBytes = 4096;
  std::vector<Passed> values;
  const unsigned char* const packed = packed_values(asked.extra);
  if (asked.values == nullptr && packed == nullptr) return values;
  for (std::size_t i = 0; i < kMostValues; ++i) {
    std::size_t offset = 0, bytes = 0;
    const bool known =
        (driver.function_parameter != nullptr && driver.function_parameter(asked.function, i, &offset, &bytes) == 0) ||
        (driver.kernel_parameter != nullptr && driver.kernel_parameter(asked.function, i, &offset, &bytes) == 0);
    if (!known || bytes == 0 || bytes > kMostBytes) break;
    const unsigned char* const from =
        asked.values != nullptr ? static_cast<const unsigned char*>(asked.values[i]) : packed + offset;
    Passed passed{offset, {from, from + bytes}, 0};
    std::uint64_t base = 0;
    std::size_t size = 0;
    if (bytes == 8 && passed.address() != 0 && driver.address_range != nullptr &&
        driver.address_range(&base, &size, passed.address()) == 0)
      passed.allocation = base + size - passed.address();
    values.push_back(passed);
  }
  return values;
}

std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') made += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof(code), "\\u%04x", static_cast<unsigned>(c));
      made += code;
      continue;
    }
    made += c;
  }
  return made + "\"";
}

std::string key_json(const LaunchKey& key) {
  const auto& [name, grid, block, shared] = key;
  return "{\"name\":" + quoted(name) + ",\"grid\":" + numbers(grid) + ",\"block\":" + numbers(block) +
         ",\"shared\":" + std::to_string(shared);
}

std::string passed_json(const std::vector<Passed>& values) {
  std::string text;
  for (const Passed& each : values) {
    text += text.empty() ? "" : ",";
    text += "{\"offset\":" + std::to_string(each.offset) + ",\"hex\":\"" + hex(each.bytes) +
            "\",\"allocation\":" + std::to_string(each.allocation) + "}";
  }
  return "[" + text + "]";
}

}  // namespace harness::injected
