#include "harness/judge/npy.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <regex>

#include "harness/core/error.h"
#include "harness/judge/elements.h"
#include "harness/judge/indexing.h"
#include "harness/judge/tolerance.h"
#include "harness/system/files.h"

namespace harness::judge {
namespace {

Error broken(const std::string& path, const std::string& why) {
  return bad_input(fmt::format("{} cannot be read as a NumPy array: {}", path, why));
}

struct Header {
  std::string text;
  std::size_t data_begin = 0;
};

Header read_header(const std::string& path, const std::string& file) {
  constexpr std::size_t kVersionAt = 6, kLengthAt = 8;
  if (file.size() < 12 || file.compare(0, kVersionAt, "\x93NUMPY") != 0) throw broken(path, "it does not begin as one");
  const int version = file[kVersionAt];
  if (version != 1 && version != 2)
    throw broken(path, fmt::format("format version {} is unknown; use 1 or 2", version));
  const std::size_t width = version == 1 ? 2 : 4;
  std::uint32_t length = 0;
  std::memcpy(&length, file.data() + kLengthAt, width);
  const std::size_t begin = kLengthAt + width;
  if (length > file.size() - begin) throw broken(path, "its header is cut off");
  return {file.substr(begin, length), begin + length};
}

Dtype parse_descr(const std::string& path, const std::string& descr) {
  static const std::map<std::string, Dtype> kTypes{{"f2", Dtype::f16}, {"f4", Dtype::f32}, {"f8", Dtype::f64},
                                                   {"i1", Dtype::s8},  {"i2", Dtype::s16}, {"i4", Dtype::s32},
                                                   {"i8", Dtype::s64}, {"u1", Dtype::u8},  {"u2", Dtype::u16},
                                                   {"u4", Dtype::u32}, {"u8", Dtype::u64}, {"b1", Dtype::b8}};
  const bool little = !descr.empty() && (descr[0] == '<' || descr[0] == '|');
  const auto type = little ? kTypes.find(descr.substr(1)) : kTypes.end();
  if (type == kTypes.end())
    throw broken(path, fmt::format("element type '{}' is not supported; use little-endian numbers", descr));
  return type->second;
}

std::vector<std::int64_t> parse_shape(const std::string& path, const std::string& text) {
  std::vector<std::int64_t> shape;
  static const std::regex kNumber("[0-9]{1,15}");
  for (std::sregex_iterator it(text.begin(), text.end(), kNumber), end; it != end; ++it)
    shape.push_back(std::stoll(it->str()));
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent != 0 && count > std::numeric_limits<std::int32_t>::max() * 64LL / extent)
      throw broken(path, "it is too large");
    count *= extent;
  }
  return shape;
}

bool has_shape(const NpyArray& array, const Argument& a) {
  return array.shape == a.shape;
}

Error other_shape(const NpyArray& array, const Argument& a, const std::string& path) {
  return bad_input(fmt::format("{} has the shape {} and argument '{}' {}; keep golden arrays for this workload apart",
                               path, index_text(array.shape), a.name, index_text(a.shape)));
}

bool holds_bits_of(const NpyArray& array, Dtype dtype) {
  const bool foreign = dtype == Dtype::bf16 || dtype == Dtype::e4m3 || dtype == Dtype::e5m2;
  return foreign && (array.dtype == Dtype::u16 || array.dtype == Dtype::u8) &&
         storage_bytes(array.dtype) == storage_bytes(dtype);
}

/// Reads bits where NumPy has no such type.
NpyArray read_as(const Argument& a, const std::string& path) {
  NpyArray array = read_npy(path);
  if (holds_bits_of(array, a.dtype)) array.dtype = a.dtype;
  if (!has_shape(array, a)) throw other_shape(array, a, path);
  return array;
}

std::string golden_path(const std::string& directory, const Argument& a, bool result) {
  return directory + "/" + a.name + (result && a.kind == ArgumentKind::inout ? ".out.npy" : ".npy");
}

std::optional<std::string> compare_integers(const Argument& a, const ReferenceArray& values, const NpyArray& golden,
                                            const std::string& path) {
  const int bytes = storage_bytes(a.dtype), golden_bytes = storage_bytes(golden.dtype);
  for (std::int64_t i = 0; i < count_elements(a); ++i) {
    const std::int64_t got = load_integer(a.dtype, values.raw.data() + i * bytes);
    const std::int64_t wanted = load_integer(golden.dtype, golden.data.data() + i * golden_bytes);
    if (got == wanted) continue;
    return fmt::format("the reference computes {}{} = {}, but {} has {}", a.name, index_text(Indexer(a).index(i)), got,
                       path, wanted);
  }
  return std::nullopt;
}

std::optional<std::string> compare_floats(const Argument& a, const ReferenceArray& values, const NpyArray& golden,
                                          const std::string& path) {
  double error2 = 0, golden2 = 0;
  for (std::int64_t i = 0; i < count_elements(a); ++i) {
    const double got = values.values[i], wanted = golden.at(i);
    if (std::isfinite(wanted) && std::isfinite(got)) {
      error2 += (got - wanted) * (got - wanted);
      golden2 += wanted * wanted;
    } else if (got != wanted && !(std::isnan(got) && std::isnan(wanted))) {
      return fmt::format("the reference computes {}{} = {}, but {} has {}", a.name, index_text(Indexer(a).index(i)),
                         got, path, wanted);
    }
  }
  const double tolerance = std::max(default_tolerance(golden.dtype), 1e-12);
  const double error = error2 == 0 ? 0 : std::sqrt(error2 / (golden2 == 0 ? 1 : golden2));
  if (error <= tolerance) return std::nullopt;
  return fmt::format("the reference's {} differs from {} by {:.3g} in relative L2, more than {:.3g}", a.name, path,
                     error, tolerance);
}

}  // namespace

NpyArray read_npy(const std::string& path) {
  const std::optional<std::string> bytes_of_file = read_file_if_any(path);
  if (!bytes_of_file) throw broken(path, "it does not exist or is not readable");
  const std::string& file = *bytes_of_file;
  const Header header = read_header(path, file);
  static const std::regex kFields(
      R"(\{\s*'descr':\s*'([^']+)',\s*'fortran_order':\s*(True|False),\s*'shape':\s*\(([0-9, ]*)\),?\s*\}\s*)");
  std::smatch fields;
  if (!std::regex_match(header.text, fields, kFields)) throw broken(path, "its header is not one of a plain array");
  NpyArray array{parse_descr(path, fields[1]), parse_shape(path, fields[3]), {}};
  if (fields[2] == "True" && array.shape.size() > 1)
    throw broken(path, "it is in Fortran order; save a C-ordered copy");
  std::int64_t bytes = storage_bytes(array.dtype);
  for (const std::int64_t extent : array.shape) bytes *= extent;
  if (file.size() - header.data_begin != static_cast<std::size_t>(bytes)) {
    throw broken(path, fmt::format("it holds {} bytes of data where its shape needs {}",
                                   file.size() - header.data_begin, bytes));
  }
  const auto* data = reinterpret_cast<const std::byte*>(file.data() + header.data_begin);
  array.data.assign(data, data + bytes);
  return array;
}

void place_golden_inputs(const Problem& problem, const ImageLayout& layout, const std::string& directory,
                         std::span<std::byte> image) {
  for (const Argument& a : problem.arguments) {
    if (!is_drawn(a)) continue;
    const NpyArray array = read_as(a, golden_path(directory, a, false));
    std::byte* const data = payload(layout, a.name, image).data();
    const Indexer indexer(a);
    const int bytes = storage_bytes(a.dtype), array_bytes = storage_bytes(array.dtype);
    indexer.for_elements(0, indexer.count(), [&](std::int64_t logical, std::int64_t storage) {
      std::byte* const unit = data + storage * bytes;
      if (is_floating(array.dtype)) store_rounded(a.dtype, unit, array.at(logical));
      else store_integer(a.dtype, unit, load_integer(array.dtype, array.data.data() + logical * array_bytes));
    });
  }
}

std::optional<std::string> compare_golden(const Problem& problem, const ReferenceValues& values,
                                          const std::string& directory) {
  for (const Argument& a : problem.arguments) {
    if (!is_judged(a)) continue;
    const std::string path = golden_path(directory, a, true);
    const NpyArray golden = read_as(a, path);
    const ReferenceArray& array = values.at(a.name);
    const bool integers = !is_floating(a.dtype) && !is_floating(golden.dtype);
    auto difference = integers ? compare_integers(a, array, golden, path) : compare_floats(a, array, golden, path);
    if (difference) return difference;
  }
  return std::nullopt;
}

}  // namespace harness::judge
