#include "harness/device/cuda/run/filled_constants.h"

#include <fmt/format.h>

#include "harness/device/cuda/run/graphs.h"
#include "harness/device/cuda/run/packing.h"

namespace harness::cuda {
namespace {

/// A scalar or structure, whose bytes the host has; else the elements lie in the image.
bool is_by_value(const Executable& executable, const std::string& name) {
  const Argument* const argument = find_argument(executable.problem, name);
  return argument && (argument->kind == ArgumentKind::scalar || argument->kind == ArgumentKind::structure);
}

std::size_t bytes_of(const DriverApi& api, const Executable& executable, const std::string& name) {
  if (is_by_value(executable, name)) return pack_value(api, name, executable.problem, executable.layout).size();
  const ImageBuffer* const buffer = find_buffer(executable.layout, name);
  if (!buffer) throw LaunchRefused(fmt::format("no argument is named '{}'.", name));
  return static_cast<std::size_t>(buffer->bytes);
}

}  // namespace

FilledConstants::FilledConstants(const DriverApi& api, const LoadedModule& module, const Executable& executable)
    : api_(api), executable_(executable) {
  for (const ConstantTable& table : executable.plan.constants) {
    const auto variable = module.constants.find(table.symbol);
    if (variable == module.constants.end())
      throw LaunchRefused(fmt::format("the module has no __constant__ variable '{}'.", table.symbol));
    const std::size_t bytes = bytes_of(api, executable, table.from);
    if (bytes > variable->second.bytes)
      throw LaunchRefused(fmt::format("{} has {} bytes and is filled from '{}', which has {}.", table.symbol,
                                      variable->second.bytes, table.from, bytes));
    filled_.push_back({table.symbol, table.from, variable->second, {}});
  }
}

void FilledConstants::enqueue(const Filled& filled, Stream stream, DevicePointer base) const {
  if (is_by_value(executable_, filled.from)) {
    const auto value = pack_value(api_, filled.from, executable_.problem, executable_.layout);
    cuda::check(api_, api_.cuMemcpyHtoDAsync_v2(filled.variable.address, value.data(), value.size(), stream),
                "cuMemcpyHtoDAsync");
    synchronize(api_, stream);  // before `value` goes
    return;
  }
  const ImageBuffer& buffer = *find_buffer(executable_.layout, filled.from);
  if (buffer.bytes == 0) return;
  cuda::check(api_,
              api_.cuMemcpyDtoDAsync_v2(filled.variable.address, base + static_cast<DevicePointer>(buffer.offset),
                                        static_cast<std::size_t>(buffer.bytes), stream),
              "cuMemcpyDtoDAsync");
}

std::vector<std::byte> FilledConstants::read(const LoadedConstant& variable, Stream stream) const {
  std::vector<std::byte> values(variable.bytes);
  cuda::check(api_, api_.cuMemcpyDtoHAsync_v2(values.data(), variable.address, values.size(), stream),
              "cuMemcpyDtoHAsync");
  synchronize(api_, stream);
  return values;
}

void FilledConstants::fill(Stream stream, DevicePointer base) {
  for (Filled& filled : filled_) {
    enqueue(filled, stream, base);
    filled.values = read(filled.variable, stream);
  }
}

void FilledConstants::check(Stream stream) const {
  for (const Filled& filled : filled_)
    if (read(filled.variable, stream) != filled.values)
      throw DeviceFault(
          fmt::format("illegal_access: a launch has changed {}, which is __constant__ memory", filled.symbol));
}

}  // namespace harness::cuda
