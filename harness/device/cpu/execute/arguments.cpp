#include "harness/device/cpu/execute/arguments.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "harness/device/cpu/execute/tensor_copy.h"

namespace harness::cpu {
namespace {

using Bytes = std::vector<std::byte>;

template <typename T>
Bytes bytes_of(const T& value) {
  Bytes bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

bool is_signed(Dtype dtype) {
  return dtype == Dtype::s8 || dtype == Dtype::s16 || dtype == Dtype::s32 || dtype == Dtype::s64;
}

LaunchRefused does_not_fit(Dtype dtype, const Value& value, const std::string& what) {
  return LaunchRefused(fmt::format("{} = {} does not fit its type {}", what, to_text(value), name(dtype)));
}

Bytes integer_bytes(Dtype dtype, const Value& value, const std::string& what) {
  std::int64_t number = 0;
  if (const auto* i = std::get_if<std::int64_t>(&value)) number = *i;
  else if (const auto* b = std::get_if<bool>(&value)) number = *b;
  else if (const auto* d = std::get_if<double>(&value); d && std::abs(*d) < 0x1p63 && std::trunc(*d) == *d)
    number = static_cast<std::int64_t>(*d);
  else throw does_not_fit(dtype, value, what);
  const int bits = dtype == Dtype::b8 ? 1 : storage_bytes(dtype) * 8;
  if (bits < 64) {
    const std::int64_t low = is_signed(dtype) ? -(std::int64_t{1} << (bits - 1)) : 0;
    const std::int64_t high = is_signed(dtype) ? -low - 1 : (std::int64_t{1} << bits) - 1;
    if (number < low || number > high) throw does_not_fit(dtype, value, what);
  }
  Bytes bytes = bytes_of(number);
  bytes.resize(static_cast<std::size_t>(storage_bytes(dtype)));
  return bytes;
}

Bytes scalar_bytes(Dtype dtype, const Value& value, const std::string& what) {
  if (!is_floating(dtype)) return integer_bytes(dtype, value, what);
  double number = 0;
  if (const auto* d = std::get_if<double>(&value)) number = *d;
  else if (const auto* i = std::get_if<std::int64_t>(&value)) number = static_cast<double>(*i);
  else throw does_not_fit(dtype, value, what);
  Bytes bytes(static_cast<std::size_t>(storage_bytes(dtype)));
  store_rounded(dtype, bytes.data(), number);
  return bytes;
}

Bytes structure_bytes(const Argument& argument) {
  Bytes bytes(static_cast<std::size_t>(argument.struct_bytes));
  for (const Field& field : argument.fields) {
    const Bytes part = scalar_bytes(field.dtype, field.value, argument.name + "." + field.name);
    if (field.offset < 0 || static_cast<std::size_t>(field.offset) + part.size() > bytes.size())
      throw LaunchRefused(
          fmt::format("field {}.{} lies outside the structure's {} bytes", argument.name, field.name, bytes.size()));
    std::memcpy(bytes.data() + field.offset, part.data(), part.size());
  }
  return bytes;
}

Bytes tensor_map_bytes(const TensorMap& map, const Executable& executable, std::span<std::byte> image) {
  const ImageBuffer* const buffer = find_buffer(executable.layout, map.of);
  if (!buffer) throw LaunchRefused(fmt::format("a tensor map is of '{}', which is no buffer", map.of));
  return encode_tensor_map(map, reinterpret_cast<char*>(image.data() + buffer->offset));
}

Bytes named_bytes(const NamedArgument& named, const Executable& executable, std::span<std::byte> image) {
  const Argument* const argument = find_argument(executable.problem, named.name);
  if (argument && argument->absent) return bytes_of<void*>(nullptr);
  if (argument && argument->kind == ArgumentKind::scalar && argument->value)
    return scalar_bytes(argument->dtype, *argument->value, named.name);
  if (argument && argument->kind == ArgumentKind::structure) return structure_bytes(*argument);
  if (argument && argument->kind == ArgumentKind::tensor_map)
    return tensor_map_bytes(tensor_map_of(*argument), executable, image);
  if (const ImageBuffer* const buffer = find_buffer(executable.layout, named.name))
    return bytes_of<void*>(image.data() + buffer->offset + named.offset);
  throw LaunchRefused(fmt::format("'{}' is neither an argument of the kernel nor a workspace of the plan", named.name));
}

Bytes argument_bytes(const LaunchArgument& argument, int index, const Executable& executable,
                     std::span<std::byte> image) {
  if (const auto* named = std::get_if<NamedArgument>(&argument)) return named_bytes(*named, executable, image);
  if (const auto* map = std::get_if<TensorMap>(&argument)) return tensor_map_bytes(*map, executable, image);
  const auto& scalar = std::get<ScalarArgument>(argument);
  return scalar_bytes(scalar.dtype, scalar.value, fmt::format("argument {}", index + 1));
}

}  // namespace

std::vector<std::byte> constant_bytes(const ConstantTable& table, const Executable& executable,
                                      std::span<const std::byte> image) {
  const Argument* const argument = find_argument(executable.problem, table.from);
  if (argument && argument->kind == ArgumentKind::scalar && argument->value)
    return scalar_bytes(argument->dtype, *argument->value, table.from);
  if (argument && argument->kind == ArgumentKind::structure) return structure_bytes(*argument);
  const ImageBuffer* const buffer = argument && argument->absent ? nullptr : find_buffer(executable.layout, table.from);
  if (!buffer) throw LaunchRefused(fmt::format("'{}', which fills {}, is no buffer", table.from, table.symbol));
  const auto bytes = image.subspan(static_cast<std::size_t>(buffer->offset), static_cast<std::size_t>(buffer->bytes));
  return {bytes.begin(), bytes.end()};
}

ArgumentPack::ArgumentPack(const Launch& launch, const HarnessCpuEntry& entry, const Executable& executable,
                           std::span<std::byte> image) {
  if (static_cast<int>(launch.args.size()) != entry.parameters)
    throw LaunchRefused(fmt::format("{} takes {} parameters and the plan passes {}", launch.entry, entry.parameters,
                                    launch.args.size()));
  for (int i = 0; i < entry.parameters; ++i) {
    const Bytes value = argument_bytes(launch.args[static_cast<std::size_t>(i)], i, executable, image);
    if (value.size() != entry.parameter_bytes[i])
      throw LaunchRefused(fmt::format("parameter {} of {} has {} bytes and the plan passes {}", i + 1, launch.entry,
                                      entry.parameter_bytes[i], value.size()));
    std::vector<Chunk>& chunks = values_.emplace_back(value.size() / sizeof(Chunk) + 1);
    std::memcpy(chunks.data(), value.data(), value.size());
    sizes_.push_back(value.size());
    pointers_.push_back(chunks.data());
  }
}

std::vector<std::span<const std::byte>> ArgumentPack::memory() const {
  std::vector<std::span<const std::byte>> ranges{std::as_bytes(std::span(pointers_))};
  for (std::size_t i = 0; i < sizes_.size(); ++i)
    ranges.push_back(std::as_bytes(std::span(values_[i])).first(sizes_[i]));
  return ranges;
}

}  // namespace harness::cpu
