#include "harness/judge/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "harness/core/generators.h"
#include "harness/judge/indexing.h"

namespace harness::judge {
namespace {

std::int64_t value_at(const Problem& point, const std::string& size) {
  return std::get<std::int64_t>(point.workload.values.at(size));
}

/// The dimension whose extent is the same number of times the size at all points; nothing where all extents stay.
/// `why` is set where they change in another way.
std::optional<std::size_t> row_dimension(const std::string& name, const std::string& size,
                                         const std::vector<const Problem*>& points, std::string& why) {
  std::optional<std::size_t> found;
  const Argument& first = *find_argument(*points.front(), name);
  for (std::size_t d = 0; d < first.shape.size(); ++d) {
    bool changes = false, in_proportion = true;
    for (const Problem* const point : points) {
      const Argument* const there = find_argument(*point, name);
      if (there == nullptr || there->shape.size() != first.shape.size()) {
        why = fmt::format("'{}' has other dimensions at other values of {}", name, size);
        return std::nullopt;
      }
      changes = changes || there->shape[d] != first.shape[d];
      in_proportion =
          in_proportion && there->shape[d] * value_at(*points.front(), size) == first.shape[d] * value_at(*point, size);
    }
    if (!changes) continue;
    if (!in_proportion || first.shape[d] % std::max<std::int64_t>(1, value_at(*points.front(), size)) != 0 || found) {
      why = found ? fmt::format("{} is two dimensions of '{}'", size, name)
                  : fmt::format("the shape of '{}' grows with {}, and not in proportion", name, size);
      return std::nullopt;
    }
    found = d;
  }
  return found;
}

/// Why rows of this input cannot stand in another batch; "" where they can.
std::string tied_rows(const Argument& argument, bool has_rows, const std::vector<const Problem*>& points) {
  if (!argument.gen) return "";
  for (const Problem* const point : points)
    if (json_text(find_argument(*point, argument.name)->gen->options) != json_text(argument.gen->options))
      return fmt::format("the values of '{}' follow from it", argument.name);
  const GeneratorKind* const kind = find_generator(argument.gen->kind);
  const bool lengths_alone = argument.gen->kind == "ragged" && !argument.gen->options.contains("total") &&
                             !argument.gen->options.contains("capacity");
  const bool rows_alone = lengths_alone || argument.gen->kind == "routing" || argument.gen->kind == "constant";
  if (!has_rows || rows_alone || (kind != nullptr && kind->independent)) return "";
  return fmt::format("the elements of '{}' depend on each other ({})", argument.name, argument.gen->kind);
}

/// Whether another input is drawn from this one's values.
bool is_drawn_from(const Problem& problem, const std::string& name) {
  return std::ranges::any_of(problem.arguments, [&](const Argument& other) {
    if (!other.gen) return false;
    for (const char* option : {"of", "lengths"})
      if (other.gen->options.value(option, json()) == json(name)) return true;
    return false;
  });
}

bool is_left_open(const Argument& argument) {
  return !argument.valid_rows.empty() && argument.outside == "anything";
}

/// A row alone: its place in the argument, and its first element's in storage.
struct RowView {
  Argument argument;
  std::int64_t begin = 0;
};

RowView view_of(const Argument& argument, std::size_t dimension, std::int64_t count, std::int64_t row) {
  RowView view{argument, 0};
  if (view.argument.strides.size() != argument.shape.size()) view.argument.strides = contiguous_strides(argument.shape);
  const std::int64_t extent = argument.shape[dimension] / std::max<std::int64_t>(1, count);
  view.argument.shape[dimension] = extent;
  view.begin = row * extent * view.argument.strides[dimension];
  return view;
}

/// f(byte in the image, byte in the dense row, bytes), part by part.
template <typename F>
void for_parts(const ImageBuffer& buffer, const RowView& view, F&& f) {
  const Indexer indexer(view.argument);
  const std::int64_t unit = storage_bytes(view.argument.dtype), stride = indexer.column_stride();
  indexer.for_row_parts(0, indexer.count(), [&](std::int64_t logical, std::int64_t storage, std::int64_t count) {
    const std::int64_t at = buffer.offset + (view.begin + storage) * unit;
    if (stride == 1) return f(at, logical * unit, count * unit);
    for (std::int64_t i = 0; i < count; ++i) f(at + i * stride * unit, (logical + i) * unit, unit);
  });
}

}  // namespace

Rows rows_over(const std::string& size, const std::vector<const Problem*>& points) {
  Rows rows;
  const Problem& first = *points.front();
  for (const Argument& argument : first.arguments) {
    if (argument.absent || argument.kind == ArgumentKind::scalar || argument.kind == ArgumentKind::structure) continue;
    if (argument.kind == ArgumentKind::pointers) {
      rows.why = fmt::format("'{}' is an array of pointers", argument.name);
      return rows;
    }
    if (!is_tensor(argument.kind)) continue;  // it refers to a tensor
    const std::optional<std::size_t> dimension = row_dimension(argument.name, size, points, rows.why);
    if (!rows.why.empty()) return rows;
    if (dimension && Indexer(argument).overlapping()) rows.why = fmt::format("rows of '{}' overlap", argument.name);
    if (dimension && is_drawn_from(first, argument.name))
      rows.why = fmt::format("other inputs follow from '{}'", argument.name);
    if (argument.kind != ArgumentKind::output && rows.why.empty())
      rows.why = tied_rows(argument, dimension.has_value(), points);
    if (!rows.why.empty()) return rows;
    if (dimension) rows.dimension[argument.name] = *dimension;
    else if (argument.kind != ArgumentKind::output) rows.whole.push_back(argument.name);
    if (dimension && is_written(argument.kind) && !is_left_open(argument)) rows.outputs.push_back(argument.name);
  }
  if (rows.outputs.empty()) rows.why = fmt::format("no output has a dimension that {} gives", size);
  return rows;
}

std::vector<std::byte> row_of(std::span<const std::byte> image, const ImageBuffer& buffer, const Argument& argument,
                              std::size_t dimension, std::int64_t count, std::int64_t row) {
  const RowView view = view_of(argument, dimension, count, row);
  std::vector<std::byte> elements(
      static_cast<std::size_t>(count_elements(view.argument) * storage_bytes(argument.dtype)));
  for_parts(buffer, view, [&](std::int64_t at, std::int64_t place, std::int64_t bytes) {
    std::memcpy(elements.data() + place, image.data() + at, static_cast<std::size_t>(bytes));
  });
  return elements;
}

void put_row(std::span<std::byte> image, const ImageBuffer& buffer, const Argument& argument, std::size_t dimension,
             std::int64_t count, std::int64_t row, std::span<const std::byte> elements) {
  for_parts(buffer, view_of(argument, dimension, count, row),
            [&](std::int64_t at, std::int64_t place, std::int64_t bytes) {
              std::memcpy(image.data() + at, elements.data() + place, static_cast<std::size_t>(bytes));
            });
}

RowDifference difference_of(Dtype dtype, std::span<const std::byte> a, std::span<const std::byte> b) {
  RowDifference difference;
  const auto unit = static_cast<std::size_t>(storage_bytes(dtype));
  double apart = 0, length = 0;
  for (std::size_t at = 0; at + unit <= a.size(); at += unit) {
    ++difference.elements;
    const double one = load_as_double(dtype, a.data() + at), other = load_as_double(dtype, b.data() + at);
    if (std::isfinite(one)) length += one * one;
    if (std::memcmp(a.data() + at, b.data() + at, unit) == 0) continue;
    ++difference.differ;
    if (std::isfinite(one) != std::isfinite(other)) apart = std::numeric_limits<double>::infinity();
    else if (std::isfinite(one)) apart += (one - other) * (one - other);
  }
  if (difference.differ > 0) difference.distance = length > 0 ? std::sqrt(apart / length) : apart > 0 ? 1 : 0;
  return difference;
}

}  // namespace harness::judge
