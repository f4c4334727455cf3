#include "harness/package/literals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>

#include "harness/core/error.h"

namespace harness::package {
namespace {

using ByteList = std::vector<unsigned char>;

double number_of(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  throw bad_input(fmt::format("the scalar '{}' is no number", to_text(value)));
}

std::int64_t integer_of(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  const double number = number_of(value);
  if (std::floor(number) != number || std::abs(number) > 9e15)
    throw bad_input(fmt::format("the scalar {} is no whole number", to_text(value)));
  return static_cast<std::int64_t>(number);
}

ByteList stored_bytes(Dtype dtype, const Value& value) {
  ByteList bytes(static_cast<std::size_t>(storage_bytes(dtype)));
  if (is_floating(dtype)) {
    store_rounded(dtype, bytes.data(), number_of(value));
  } else {
    const std::int64_t integer = integer_of(value);
    std::memcpy(bytes.data(), &integer, bytes.size());  // little-endian on both sides
  }
  return bytes;
}

std::string raw(const ByteList& bytes) {
  return fmt::format(".raw({{{:#04x}}})", fmt::join(bytes, ", "));
}

}  // namespace

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?') result += '\\';  // "??/" is a backslash in C++14
    if (byte < 0x20 || byte == 0x7f) result += fmt::format("\\{:03o}", byte);
    else result += c;
  }
  return result + '"';
}

std::string braces(const std::vector<std::int64_t>& numbers) {
  return fmt::format("{{{}}}", fmt::join(numbers, ", "));
}

std::string type_literal(const Argument& argument) {
  if (elements_per_unit(argument.dtype) != 1 || argument.dtype == Dtype::e8m0)
    throw bad_input(fmt::format("'{}' is of type {}, which a standalone program does not know", argument.name,
                                name(argument.dtype)));
  return argument.dtype == Dtype::b8 ? "Type::b8" : fmt::format("Type::{}", name(argument.dtype));
}

std::string scalar_parameter(Dtype dtype, const Value& value) {
  if (dtype == Dtype::s32 || dtype == Dtype::u32 || dtype == Dtype::s64 || dtype == Dtype::u64) {
    const std::int64_t integer = integer_of(value);
    const char* const type = dtype == Dtype::s32   ? "int"
                             : dtype == Dtype::u32 ? "unsigned"
                             : dtype == Dtype::s64 ? "long long"
                                                   : "unsigned long long";
    return fmt::format(".value<{}>({})", type, integer);
  }
  if (dtype == Dtype::f64 && std::isfinite(number_of(value)))
    return fmt::format(".value<double>({:a})", number_of(value));
  if (dtype == Dtype::f32 && std::isfinite(static_cast<float>(number_of(value))))
    return fmt::format(".value<float>({:a}f)", static_cast<float>(number_of(value)));
  return raw(stored_bytes(dtype, value));
}

std::string structure_parameter(const Argument& argument) {
  ByteList bytes(static_cast<std::size_t>(argument.struct_bytes));
  for (const Field& field : argument.fields) {
    const ByteList value = stored_bytes(field.dtype, field.value);
    const auto offset = static_cast<std::size_t>(field.offset);
    if (field.offset < 0 || offset + value.size() > bytes.size())
      throw bad_input(fmt::format("field '{}' of '{}' lies outside of its structure", field.name, argument.name));
    std::memcpy(bytes.data() + offset, value.data(), value.size());
  }
  return raw(bytes);
}

}  // namespace harness::package
