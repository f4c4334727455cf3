#include "harness/script/contract/arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/suggest.h"
#include "harness/core/tensor_map.h"
#include "harness/script/contract/draws.h"
#include "harness/script/contract/tensors.h"

namespace harness::script {
namespace {

using Arguments = std::vector<Argument>;

std::string name_list(const Arguments& arguments, const std::string& name) {
  std::vector<std::string> names;
  for (const Argument& argument : arguments) names.push_back(argument.name);
  return did_you_mean(name, names);
}

/// The tensor that a view, an array of pointers or a tensor map refers to.
const Argument& referred(const Reader& reader, const Arguments& before) {
  const std::string of = reader.text("of");
  const auto found = std::ranges::find(before, of, &Argument::name);
  if (found != before.end() && is_tensor(found->kind)) return *found;
  throw reader.error(fmt::format("has of = '{}', which is no tensor declared before it{}", of, name_list(before, of)));
}

Argument read_scalar(Sizes& sizes, const Reader& reader) {
  reader.only({"dtype", "value"}, 1);
  Argument argument;
  argument.name = reader.leading_name();
  argument.kind = ArgumentKind::scalar;
  argument.dtype = sizes.dtype(reader, "dtype");
  argument.value = sizes.value(reader.need("value"), reader, "value");
  return argument;
}

/// { "eps", "f32", 1e-6 }
Field read_field(Sizes& sizes, const Reader& entry) {
  const auto& list = entry.node().list;
  if (list.size() != 3 || list[0].text() == nullptr || list[1].text() == nullptr || !entry.node().fields.empty()) {
    throw entry.error("must be { \"name\", \"type\", value }");
  }
  Field field;
  field.name = *list[0].text();
  Node named;
  named.line = entry.line();
  named.table = true;
  named.fields["dtype"] = list[1];
  field.dtype = sizes.dtype(Reader(entry.manifest(), named, "field '" + field.name + "'"), "dtype");
  field.value = sizes.value(list[2], entry, field.name);
  return field;
}

/// Laid out as the C++ compiler does: each field at a multiple of its size, the whole a multiple of the largest.
Argument read_structure(Sizes& sizes, const Reader& reader) {
  reader.only({"fields"}, 1);
  Argument argument;
  argument.name = reader.leading_name();
  argument.kind = ArgumentKind::structure;
  std::int64_t end = 0, largest = 1;
  for (const Node& node : reader.need("fields").list) {
    Field field = read_field(sizes, Reader(reader.manifest(), node, reader.what() + ": a field"));
    const std::int64_t bytes = storage_bytes(field.dtype);
    field.offset = (end + bytes - 1) / bytes * bytes;
    end = field.offset + bytes;
    largest = std::max(largest, bytes);
    argument.fields.push_back(std::move(field));
  }
  if (argument.fields.empty()) throw reader.error("needs at least one field: fields = { { \"eps\", \"f32\", 1e-6 } }");
  argument.struct_bytes = (end + largest - 1) / largest * largest;
  return argument;
}

Argument read_view(Sizes& sizes, const Reader& reader, const Arguments& before) {
  reader.only({"of", "offset", "shape", "strides", "dtype"}, 1);
  const Argument& of = referred(reader, before);
  Argument argument;
  argument.name = reader.leading_name();
  argument.kind = ArgumentKind::view;
  argument.of = of.name;
  argument.absent = of.absent;
  argument.dtype = reader.find("dtype") != nullptr ? sizes.dtype(reader, "dtype") : of.dtype;
  if (storage_bytes(argument.dtype) != storage_bytes(of.dtype))
    throw reader.error("needs a type as wide as that of '" + of.name + "'");
  if (const Node* offset = reader.find("offset")) argument.offset = sizes.whole(*offset, reader, "offset");
  read_layout(sizes, reader, argument, before);
  if (argument.offset < 0 || argument.offset + span_elements(argument) > span_elements(of)) {
    throw reader.error(fmt::format("reaches outside '{}' on workload '{}'", of.name, sizes.workload().name));
  }
  // An offset keeps the part of the tensor's alignment that divides it.
  argument.align = of.align;
  while (argument.offset * storage_bytes(of.dtype) % argument.align != 0) argument.align /= 2;
  return argument;
}

std::vector<std::int64_t> read_offsets(Sizes& sizes, const Reader& reader) {
  if (const Node* offsets = reader.find("offsets")) {
    if (reader.find("count") != nullptr || reader.find("stride") != nullptr) {
      throw reader.error("takes either offsets, or count and stride");
    }
    return sizes.list(*offsets, reader, "offsets");
  }
  const std::int64_t count = sizes.whole(reader.need("count"), reader, "count");
  const std::int64_t stride = sizes.whole(reader.need("stride"), reader, "stride");
  if (count < 0 || count > 1'000'000) throw reader.error("needs a count from 0 to 1000000");
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i < count; ++i) offsets.push_back(i * stride);
  return offsets;
}

Argument read_pointers(Sizes& sizes, const Reader& reader, const Arguments& before) {
  reader.only({"of", "offsets", "count", "stride"}, 1);
  const Argument& of = referred(reader, before);
  Argument argument;
  argument.name = reader.leading_name();
  argument.kind = ArgumentKind::pointers;
  argument.of = of.name;
  argument.dtype = of.dtype;
  argument.align = 16;
  argument.offsets = read_offsets(sizes, reader);
  const std::int64_t span = span_elements(of);
  for (const std::int64_t offset : argument.offsets) {
    if (offset < 0 || offset >= std::max<std::int64_t>(span, 1)) {
      throw reader.error(
          fmt::format("has the offset {} outside '{}' on workload '{}'", offset, of.name, sizes.workload().name));
    }
  }
  return argument;
}

std::string one_of(const Reader& reader, const std::string& field, const std::array<const char*, 4>& allowed) {
  const std::string text = reader.text(field, "none");
  if (std::ranges::find(allowed, text) != allowed.end()) return text;
  throw reader.error(fmt::format("has {} = '{}'; it must be one of: {}", field, text, fmt::join(allowed, ", ")));
}

Argument read_tensor_map(Sizes& sizes, const Reader& reader, const Arguments& before) {
  reader.only({"of", "box", "swizzle", "promotion"}, 1);
  const Argument& of = referred(reader, before);
  Argument argument;
  argument.name = reader.leading_name();
  argument.kind = ArgumentKind::tensor_map;
  argument.of = of.name;
  argument.dtype = of.dtype;
  argument.shape = of.shape;
  argument.strides = of.strides;
  argument.absent = of.absent;
  const auto box = sizes.list(reader.need("box"), reader, "box");
  if (box.size() != of.shape.size()) throw reader.error("needs one box extent for each dimension of '" + of.name + "'");
  if (std::ranges::any_of(box, [](std::int64_t b) { return b < 1 || b > 256; }))
    throw reader.error("needs box extents from 1 to 256");
  argument.map = {{"box", box},
                  {"swizzle", one_of(reader, "swizzle", kSwizzles)},
                  {"promotion", one_of(reader, "promotion", kPromotions)}};
  return argument;
}

Argument read_argument(Sizes& sizes, const Reader& reader, const Arguments& before,
                       const std::filesystem::path& folder) {
  const std::string& kind = reader.node().kind;
  if (kind == "input") return read_tensor(sizes, reader, ArgumentKind::input, before, folder);
  if (kind == "output") return read_tensor(sizes, reader, ArgumentKind::output, before, folder);
  if (kind == "inout") return read_tensor(sizes, reader, ArgumentKind::inout, before, folder);
  if (kind == "scalar") return read_scalar(sizes, reader);
  if (kind == "struct") return read_structure(sizes, reader);
  if (kind == "view") return read_view(sizes, reader, before);
  if (kind == "pointers") return read_pointers(sizes, reader, before);
  if (kind == "tensor_map") return read_tensor_map(sizes, reader, before);
  throw reader.error("must be input, inout, output, scalar, struct, view, pointers or tensor_map {...}, not " +
                     reader.node().described());
}

std::string title(const Node& node, std::size_t position) {
  if (node.kind.empty() || node.list.empty() || node.list[0].text() == nullptr)
    return fmt::format("argument {}", position);
  return node.kind + " '" + *node.list[0].text() + "'";
}

}  // namespace

std::vector<Argument> read_arguments(Sizes& sizes, const Reader& kernel, const std::filesystem::path& folder) {
  const Node& list = kernel.need("arguments");
  if (!list.table || !list.fields.empty() || list.list.empty())
    throw kernel.wrong("arguments", "a list of input {...}, output {...} and so on");
  Arguments arguments;
  for (const Node& node : list.list) {
    const Reader reader(kernel.manifest(), node, title(node, arguments.size() + 1));
    Argument argument = read_argument(sizes, reader, arguments, folder);
    const bool taken = std::ranges::find(arguments, argument.name, &Argument::name) != arguments.end();
    if (taken) throw reader.error("has the name of an argument before it");
    arguments.push_back(std::move(argument));
  }
  if (std::ranges::none_of(arguments, [](const Argument& a) { return is_written(a.kind); })) {
    throw kernel.error("writes nothing: one argument must be an output or inout");
  }
  check_comparisons(kernel, arguments);
  return arguments;
}

}  // namespace harness::script
