#include "harness/device/cuda/run/packing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <optional>

#include "harness/core/device.h"
#include "harness/device/cuda/run/tensor_maps.h"

namespace harness::cuda {
namespace {

using Bytes = std::vector<std::byte>;

bool is_unsigned(Dtype dtype) {
  return dtype == Dtype::u8 || dtype == Dtype::u16 || dtype == Dtype::u32 || dtype == Dtype::u64 || dtype == Dtype::b8;
}

/// The integer that `value` is, exactly; nullopt for a fraction or a text.
std::optional<std::int64_t> as_integer(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  const auto* number = std::get_if<double>(&value);
  if (!number || std::floor(*number) != *number || std::abs(*number) > 9e15) return {};
  return static_cast<std::int64_t>(*number);
}

std::optional<double> as_number(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto integer = as_integer(value)) return static_cast<double>(*integer);
  return {};
}

bool fits(Dtype dtype, std::int64_t integer) {
  const int bits = 8 * storage_bytes(dtype);
  if (is_unsigned(dtype)) return integer >= 0 && (bits == 64 || integer < (std::int64_t{1} << bits));
  if (bits == 64) return true;
  const std::int64_t limit = std::int64_t{1} << (bits - 1);
  return -limit <= integer && integer < limit;
}

Bytes scalar_bytes(Dtype dtype, const Value& value, const std::string& what) {
  Bytes bytes(static_cast<std::size_t>(storage_bytes(dtype)));
  if (is_floating(dtype)) {
    if (const auto number = as_number(value)) {
      store_rounded(dtype, bytes.data(), *number);
      return bytes;
    }
  } else if (const auto integer = as_integer(value); integer && fits(dtype, *integer)) {
    std::memcpy(bytes.data(), &*integer, bytes.size());  // little-endian on both sides
    return bytes;
  }
  throw LaunchRefused(fmt::format("{}: {} is no value of type {}.", what, to_text(value), name(dtype)));
}

Bytes pointer_bytes(DevicePointer pointer) {
  Bytes bytes(sizeof pointer);
  std::memcpy(bytes.data(), &pointer, sizeof pointer);
  return bytes;
}

Bytes structure_bytes(const Argument& argument) {
  Bytes bytes(static_cast<std::size_t>(argument.struct_bytes));
  for (const Field& field : argument.fields) {
    const std::string what = fmt::format("field '{}' of '{}'", field.name, argument.name);
    const Bytes value = scalar_bytes(field.dtype, field.value, what);
    const auto offset = static_cast<std::size_t>(field.offset);
    if (field.offset < 0 || offset > bytes.size() || bytes.size() - offset < value.size()) {
      throw LaunchRefused(fmt::format("{} lies outside of its {} bytes.", what, bytes.size()));
    }
    std::memcpy(bytes.data() + offset, value.data(), value.size());
  }
  return bytes;
}

DevicePointer address_of(const std::string& name, const ImageLayout& layout, DevicePointer base) {
  const ImageBuffer* buffer = find_buffer(layout, name);
  if (!buffer) throw LaunchRefused(fmt::format("no argument or workspace is named '{}'.", name));
  return base + static_cast<DevicePointer>(buffer->offset);
}

Bytes tensor_map_bytes(const DriverApi& api, const TensorMap& map, const ImageLayout& layout, DevicePointer base) {
  return encode_tensor_map(api, map, address_of(map.of, layout, base));
}

Bytes named_bytes(const DriverApi& api, const NamedArgument& named, const Problem& problem, const ImageLayout& layout,
                  DevicePointer base) {
  const Argument* argument = find_argument(problem, named.name);
  if (argument && argument->absent) return pointer_bytes(0);
  if (argument && argument->kind == ArgumentKind::structure) return structure_bytes(*argument);
  if (argument && argument->kind == ArgumentKind::scalar) {
    return scalar_bytes(argument->dtype, argument->value.value_or(Value{std::string("nothing")}),
                        fmt::format("scalar '{}'", named.name));
  }
  if (argument && argument->kind == ArgumentKind::tensor_map) {
    return tensor_map_bytes(api, tensor_map_of(*argument), layout, base);
  }
  return pointer_bytes(address_of(named.name, layout, base) + static_cast<DevicePointer>(named.offset));
}

}  // namespace

PackedArguments pack_arguments(const DriverApi& api, const Launch& launch, const Problem& problem,
                               const ImageLayout& layout, DevicePointer base) {
  PackedArguments packed;
  for (const LaunchArgument& argument : launch.args) {
    if (const auto* named = std::get_if<NamedArgument>(&argument)) {
      packed.push_back(named_bytes(api, *named, problem, layout, base));
    } else if (const auto* map = std::get_if<TensorMap>(&argument)) {
      packed.push_back(tensor_map_bytes(api, *map, layout, base));
    } else {
      const auto& scalar = std::get<ScalarArgument>(argument);
      packed.push_back(
          scalar_bytes(scalar.dtype, scalar.value, fmt::format("argument {} of {}", packed.size() + 1, launch.entry)));
    }
  }
  return packed;
}

std::vector<std::byte> pack_value(const DriverApi& api, const std::string& name, const Problem& problem,
                                  const ImageLayout& layout) {
  return named_bytes(api, NamedArgument{name, 0}, problem, layout, 0);
}

void check_parameters(const std::string& entry, const PackedArguments& arguments,
                      const std::vector<std::int64_t>& parameter_bytes) {
  std::vector<std::int64_t> given;
  for (const auto& argument : arguments) given.push_back(static_cast<std::int64_t>(argument.size()));
  if (given == parameter_bytes) return;
  throw LaunchRefused(fmt::format("{} takes {} parameters of [{}] bytes, but the plan passes {} of [{}] bytes.", entry,
                                  parameter_bytes.size(), fmt::join(parameter_bytes, ", "), given.size(),
                                  fmt::join(given, ", ")));
}

}  // namespace harness::cuda
