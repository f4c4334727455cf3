#include "harness/adopt/plugin/captured.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "harness/adopt/plugin/recorded.h"
#include "harness/core/error.h"

namespace harness::adopt {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostRecordedElements = 1 << 20;  // that every machine runs

std::int64_t whole_of(const CapturedValue& value, Dtype dtype) {
  if (static_cast<std::int64_t>(value.bytes.size()) < storage_bytes(dtype)) return 0;
  std::int64_t whole = 0;
  std::memcpy(&whole, value.bytes.data(), static_cast<std::size_t>(storage_bytes(dtype)));
  if (storage_bytes(dtype) == 4 && dtype != Dtype::u32) whole = static_cast<std::int32_t>(whole);
  return whole;
}

void take_numbers(AdoptedKernel& kernel, const std::vector<CapturedValue>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    AdoptedParameter& parameter = kernel.parameters[i];
    if (parameter.kind == Param::pointer) continue;
    if (parameter.kind == Param::size) {
      for (AdoptedSize& size : kernel.sizes)
        if (size.symbol == parameter.name) {
          const std::int64_t value = whole_of(values[i], parameter.dtype);
          if (value < size.low || value % size.step != 0)
            throw bad_input(
                fmt::format("the captured launch passed {} = {}, where the kernel was seen to need multiples "
                            "of {} from {} on",
                            size.name, value, size.step, size.low));
          size.values.insert(size.values.begin(), value);
          size.high = std::max(size.high, value);
          size.evidence += fmt::format("; the captured launch passed {}", value);
        }
      continue;
    }
    parameter.value = is_floating(parameter.dtype)
                          ? load_as_double(parameter.dtype, reinterpret_cast<const std::byte*>(values[i].bytes.data()))
                          : static_cast<double>(whole_of(values[i], parameter.dtype));
    parameter.evidence = "the captured launch";
  }
}

/// The first `bytes` of a file.
std::vector<std::byte> head_of(const std::string& path, std::size_t bytes) {
  std::vector<std::byte> head(bytes);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(head.data()), static_cast<std::streamsize>(bytes));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head;
}

struct Extent {
  std::vector<std::int64_t> shape;
  std::int64_t elements = 1;
};

Extent extent_of(const AdoptedKernel& kernel, const AdoptedParameter& parameter) {
  Values values = kernel.settings(kernel.dtypes.front());
  for (const AdoptedSize& size : kernel.sizes)
    values[size.symbol] = size.values.empty() ? size.host.value_or(size.low) : size.values.front();
  Extent extent;
  for (const FormulaPtr& operand : parameter.shape) {
    extent.shape.push_back(evaluate(*operand, values).value_or(0));
    extent.elements *= extent.shape.back();
  }
  return extent;
}

void write_array(const AdoptedParameter& parameter, const Extent& extent, const std::string& from, const fs::path& to) {
  const auto bytes = static_cast<std::size_t>(extent.elements * storage_bytes(parameter.dtype));
  const std::vector<std::byte> memory = head_of(from, bytes);
  if (memory.size() < bytes)
    throw bad_input(fmt::format("'{}' has {} bytes by the captured sizes, and only {} were recorded behind its pointer",
                                parameter.name, bytes, memory.size()));
  std::ofstream file(to, std::ios::binary);
  file << npy_text(parameter.dtype, extent.shape, memory);
  if (!file.flush()) throw environment_error(fmt::format("{} cannot be written", to.string()));
}

/// Why the arrays of this launch are no record; "" where they are one.
std::string unfit(const AdoptedKernel& kernel, const std::vector<CapturedValue>& values) {
  std::int64_t elements = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const AdoptedParameter& parameter = kernel.parameters[i];
    if (parameter.kind != Param::pointer) continue;
    if (values[i].before.empty() || values[i].after.empty())
      return fmt::format("the memory behind '{}' was not recorded", parameter.name);
    if (!parameter.strides.empty()) return fmt::format("the rows of '{}' lie apart", parameter.name);
    elements += extent_of(kernel, parameter).elements;
  }
  if (elements > kMostRecordedElements)
    return fmt::format("it has {} elements, and records are tried on the cpu device up to {}", elements,
                       kMostRecordedElements);
  return "";
}

}  // namespace

TakenLaunch take_launch(AdoptedKernel& kernel, const std::vector<CapturedValue>& values, const std::string& folder) {
  const auto passed = static_cast<std::size_t>(std::ranges::count_if(kernel.parameters, is_passed));
  if (values.size() != passed)
    throw bad_input(
        fmt::format("the captured launch passed {} values, and {} has {} parameters: it is another kernel, or "
                    "one that takes structures",
                    values.size(), kernel.shown_name(), passed));
  take_numbers(kernel, values);
  if (passed != kernel.parameters.size())
    return {false,
            "the captured launch gave its sizes; its data are no reference: __constant__ memory was not recorded"};
  if (const std::string why = unfit(kernel, values); !why.empty())
    return {false, fmt::format("the captured launch gave its sizes; its data are no reference: {}", why)};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const AdoptedParameter& parameter = kernel.parameters[i];
    if (parameter.kind != Param::pointer) continue;
    const Extent extent = extent_of(kernel, parameter);
    const fs::path place = folder;
    write_array(parameter, extent, parameter.role == "output" ? values[i].after : values[i].before,
                place / (parameter.name + ".npy"));
    if (parameter.role == "inout")
      write_array(parameter, extent, values[i].after, place / (parameter.name + ".out.npy"));
  }
  return {true, "the captured launch gave its sizes, and what it read and wrote"};
}

}  // namespace harness::adopt
