#include "harness/script/contract/tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "harness/core/suggest.h"
#include "harness/script/contract/draws.h"

namespace harness::script {
namespace {

constexpr std::int64_t kDefaultAlign = 16, kLargestAlign = 4096;
constexpr double kLargestSpan = 1e12;  // elements; keeps every product of sizes within 64 bits

bool is_drawn_integer(const std::vector<Argument>& before, const std::string& name) {
  const auto found = std::ranges::find(before, name, &Argument::name);
  return found != before.end() && found->gen && found->dtype == Dtype::s32;
}

std::int64_t read_extent(Sizes& sizes, const Reader& reader, const Node& entry, const std::vector<Argument>& before) {
  std::int64_t extent = 0;
  if (entry.kind == "sum_of") {
    const Reader sum(reader.manifest(), entry, reader.what() + ": sum_of");
    sum.only({"capacity"}, 1);
    if (!is_drawn_integer(before, sum.leading_name())) throw sum.error("must name an s32 input declared before it");
    extent = sizes.whole(sum.need("capacity"), sum, "capacity");
  } else {
    extent = sizes.whole(entry, reader, "shape");
  }
  if (extent < 0) throw reader.error(fmt::format("has a negative extent on workload '{}'", sizes.workload().name));
  return extent;
}

void check_span(const Sizes& sizes, const Reader& reader, const std::vector<std::int64_t>& shape,
                const std::vector<std::int64_t>& strides) {
  double count = 1, span = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    count *= static_cast<double>(std::max<std::int64_t>(shape[d], 1));
    if (d < strides.size()) span += static_cast<double>(shape[d]) * static_cast<double>(strides[d]);
  }
  if (count > kLargestSpan || span > kLargestSpan) {
    throw reader.error(fmt::format("has more than 10^12 elements on workload '{}'", sizes.workload().name));
  }
}

/// Two places of a written tensor may not share storage.
bool overlaps(const Argument& argument) {
  std::vector<std::pair<std::int64_t, std::int64_t>> dimensions;  // stride, extent
  for (std::size_t d = 0; d < argument.shape.size(); ++d) {
    if (argument.shape[d] > 1) dimensions.emplace_back(argument.strides[d], argument.shape[d]);
  }
  std::ranges::sort(dimensions);
  std::int64_t covered = 1;
  for (const auto& [stride, extent] : dimensions) {
    if (stride < covered) return true;
    covered += stride * (extent - 1);
  }
  return false;
}

std::int64_t read_align(const Reader& reader, Dtype dtype) {
  const std::int64_t align = reader.whole("align", kDefaultAlign);
  const bool allowed =
      align >= storage_bytes(dtype) && align <= kLargestAlign && std::has_single_bit(static_cast<std::uint64_t>(align));
  if (!allowed) {
    throw reader.error(fmt::format("has align = {}; it must be a power of two from {} (the element) to {}", align,
                                   storage_bytes(dtype), kLargestAlign));
  }
  return align;
}

bool read_absent(Sizes& sizes, const Reader& reader) {
  const bool optional = reader.flag("optional", false);
  const Node* present = reader.find("present");
  if (!optional && present == nullptr) return false;
  if (!optional || present == nullptr)
    throw reader.error("needs both optional = true and present = \"FIELD\", or neither");
  const Value held = sizes.value(*present, reader, "present");
  const bool* flag = std::get_if<bool>(&held);
  if (flag == nullptr)
    throw reader.error("has a 'present' that is not true or false on workload '" + sizes.workload().name + "'");
  return !*flag;
}

/// accuracy = { sum = "N", accumulate = "f32", order = "any" }
void read_accuracy(Sizes& sizes, const Reader& reader, Argument& argument) {
  const Node* const node = reader.find("accuracy");
  if (node == nullptr) return;
  const Reader model(reader.manifest(), *node, reader.what() + ": accuracy");
  if (!node->table) throw reader.wrong("accuracy", "a table such as { sum = \"N\", accumulate = \"f32\" }");
  model.only({"sum", "accumulate", "order"});
  if (!argument.compare || argument.compare->kind != "relative")
    throw model.error("belongs to an output that is compared as relative");
  Accuracy accuracy{.declared = true};
  accuracy.sum = sizes.whole(model.need("sum"), model, "sum");
  if (accuracy.sum < 1) throw model.error(fmt::format("has a sum of {} terms", accuracy.sum));
  accuracy.accumulate = model.find("accumulate") != nullptr ? sizes.dtype(model, "accumulate") : Dtype::f32;
  if (!is_floating(accuracy.accumulate)) throw model.wrong("accumulate", "a floating type");
  const std::string order = model.text("order", "any");
  const std::optional<SumOrder> known = named_if<SumOrder>(order);
  if (!known)
    throw model.error(fmt::format("has order = '{}'; it must be 'any' or 'pairwise'{}", order,
                                  did_you_mean(order, {"any", "pairwise"})));
  accuracy.order = *known;
  argument.accuracy = accuracy;
}

/// values = { range = { -65504, 65504 }, infinities = true, nan = true, denormals = true, ties = true,
///            sorted = true }
void read_values(Sizes& sizes, const Reader& reader, Argument& argument) {
  const Node* const node = reader.find("values");
  if (node == nullptr) return;
  const Reader values(reader.manifest(), *node, reader.what() + ": values");
  if (!node->table) throw reader.wrong("values", "a table such as { range = { -65504, 65504 } }");
  values.only({"range", "infinities", "nan", "denormals", "ties", "sorted"});
  if (!is_floating(argument.dtype))
    throw values.error("belongs to a floating input; what integers may be is said by their generator");
  const Node& range = values.need("range");
  const auto end_at = [&](std::size_t place) {
    if (!range.table || !range.fields.empty() || range.list.size() != 2)
      throw values.wrong("range", "{ least, most }, two numbers");
    const Value held = sizes.value(range.list[place], values, "range");
    if (const auto* whole = std::get_if<std::int64_t>(&held)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&held); real != nullptr && std::isfinite(*real)) return *real;
    throw values.wrong("range", "{ least, most }, two numbers");
  };
  ValueDomain domain{end_at(0),
                     end_at(1),
                     values.flag("infinities", false),
                     values.flag("nan", false),
                     values.flag("denormals", false),
                     values.flag("ties", false),
                     values.flag("sorted", false)};
  if (domain.lo >= domain.hi)
    throw values.error(fmt::format("has a range from {} to {}, which holds nothing", domain.lo, domain.hi));
  argument.values = domain;
  const auto& [kind, options] = *argument.gen;
  const auto option = [&options = options](const char* name, double absent) {
    const auto found = options.find(name);
    return found != options.end() && found->is_number() ? found->get<double>() : absent;
  };
  constexpr double kFurthest = 8;  // deviations: what random::normal gives at most
  double lo = domain.lo, hi = domain.hi;
  if (kind == "uniform") lo = option("lo", 0), hi = option("hi", 1);
  if (kind == "normal") {
    const double scale = option("scale", 1), reach = kFurthest * scale * option("std", 1);
    lo = scale * option("mean", 0) - reach, hi = scale * option("mean", 0) + reach;
  }
  if (lo < domain.lo || hi > domain.hi)
    throw values.error(
        fmt::format("allows {} to {}, and its generator draws from {} to {}: draw within the range, "
                    "for example gen = uniform {{ lo = ..., hi = ... }}",
                    domain.lo, domain.hi, lo, hi));
}

void read_valid_rows(const Reader& reader, Argument& argument, const std::vector<Argument>& before) {
  argument.valid_rows = reader.text("valid_rows", "");
  argument.outside = reader.text("outside", argument.outside);
  const std::vector<std::string> known = {"untouched", "anything"};
  if (std::ranges::find(known, argument.outside) == known.end()) {
    throw reader.error(fmt::format("has outside = '{}'; it must be 'untouched' or 'anything'{}", argument.outside,
                                   did_you_mean(argument.outside, known)));
  }
  if (argument.valid_rows.empty()) {
    if (reader.find("outside") != nullptr)
      throw reader.error("says what is outside its valid rows, but has no valid_rows");
    return;
  }
  if (!is_drawn_integer(before, argument.valid_rows)) {
    throw reader.error(
        fmt::format("has valid_rows = '{}', which is no s32 input declared before it", argument.valid_rows));
  }
  if (argument.shape.size() < 2) throw reader.error("has valid_rows and needs at least two dimensions");
}

}  // namespace

void read_layout(Sizes& sizes, const Reader& reader, Argument& argument, const std::vector<Argument>& before) {
  const Node& shape = reader.need("shape");
  if (!shape.table || !shape.kind.empty()) throw reader.wrong("shape", "a list");
  for (const Node& entry : shape.list) argument.shape.push_back(read_extent(sizes, reader, entry, before));
  check_span(sizes, reader, argument.shape, {});
  argument.strides = contiguous_strides(argument.shape);
  if (const Node* strides = reader.find("strides")) {
    argument.strides = sizes.list(*strides, reader, "strides");
    if (argument.strides.size() != argument.shape.size()) {
      throw reader.error(
          fmt::format("has {} strides for {} dimensions", argument.strides.size(), argument.shape.size()));
    }
    if (std::ranges::any_of(argument.strides, [](std::int64_t s) { return s < 0; }))
      throw reader.error("has a negative stride");
  }
  check_span(sizes, reader, argument.shape, argument.strides);
}

Argument read_tensor(Sizes& sizes, const Reader& reader, ArgumentKind kind, const std::vector<Argument>& before,
                     const std::filesystem::path& folder) {
  const bool drawn = kind != ArgumentKind::output, written = is_written(kind);
  if (kind == ArgumentKind::input)
    reader.only({"dtype", "shape", "strides", "align", "optional", "present", "gen", "values"}, 1);
  else if (kind == ArgumentKind::output) {
    reader.only(
        {"dtype", "shape", "strides", "align", "optional", "present", "compare", "valid_rows", "outside", "accuracy"},
        1);
  } else {
    reader.only({"dtype", "shape", "strides", "align", "optional", "present", "gen", "compare", "valid_rows", "outside",
                 "accuracy", "values"},
                1);
  }
  Argument argument;
  argument.name = reader.leading_name();
  argument.kind = kind;
  argument.dtype = sizes.dtype(reader, "dtype");
  read_layout(sizes, reader, argument, before);
  argument.align = read_align(reader, argument.dtype);
  argument.absent = read_absent(sizes, reader);
  if (drawn) {
    argument.gen = reader.find("gen") != nullptr ? read_generator(sizes, reader, before, folder)
                                                 : default_generator(reader, argument.dtype);
    read_values(sizes, reader, argument);
  }
  if (written) {
    argument.compare = read_compare(sizes, reader, argument.dtype, folder);
    read_accuracy(sizes, reader, argument);
    read_valid_rows(reader, argument, before);
    if (overlaps(argument)) throw reader.error("is written, so its strides may not make places overlap");
  }
  return argument;
}

}  // namespace harness::script
