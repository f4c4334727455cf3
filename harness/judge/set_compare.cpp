#include "harness/judge/set_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "harness/core/error.h"
#include "harness/judge/elements.h"

namespace harness::judge {
namespace {

/// The tensor that indices select from, read row by row.
class Selected {
 public:
  Selected(const Argument& argument, std::span<const std::byte> bytes)
      : argument_(argument), indexer_(argument), bytes_(bytes) {}
  std::int64_t rows() const { return indexer_.rows(); }
  std::optional<double> at(std::int64_t row, double index) const {
    if (!(index >= 0 && index < static_cast<double>(indexer_.row_length()))) return std::nullopt;
    const std::int64_t offset = indexer_.row_offset(row) + static_cast<std::int64_t>(index) * indexer_.column_stride();
    return load_as_double(argument_.dtype, bytes_.data() + offset * storage_bytes(argument_.dtype));
  }

 private:
  const Argument& argument_;
  Indexer indexer_;
  std::span<const std::byte> bytes_;
};

std::optional<Selected> selected(const Problem& problem, const ImageLayout& layout, std::span<const std::byte> before,
                                 const Output& output) {
  const std::string name = output.options().value("of", std::string());
  if (name.empty()) return std::nullopt;
  const Argument* of = find_argument(problem, name);
  if (of == nullptr || !is_drawn(*of) || Indexer(*of).rows() != output.indexer().rows()) {
    throw bad_input(
        fmt::format("compare = set of '{}' selects from '{}', which is no input with as many rows; name one",
                    output.argument().name, name));
  }
  return Selected(*of, payload(layout, name, before));
}

bool close(double got, double wanted, const Output& output) {
  if (std::isnan(wanted) || !std::isfinite(wanted)) return got == wanted || (std::isnan(got) && std::isnan(wanted));
  return std::fabs(got - wanted) <= output.tolerance() * std::max(std::fabs(wanted), output.rms());
}

/// Sorted values of a row's elements in place of the elements; false if an index is twice there or outside.
bool look_up(const Selected& of, std::int64_t row, std::vector<double>& indices) {
  if (std::ranges::adjacent_find(indices) != indices.end()) return false;
  for (double& index : indices) {
    const auto value = of.at(row, index);
    if (!value) return false;
    index = *value;
  }
  std::ranges::sort(indices);
  return true;
}

bool same_row(const Output& output, const std::optional<Selected>& of, std::int64_t row, std::vector<double> got,
              std::vector<double> wanted) {
  std::ranges::sort(got);
  std::ranges::sort(wanted);
  if (is_floating(output.argument().dtype)) {
    return std::ranges::equal(got, wanted, [&](double a, double b) { return close(a, b, output); });
  }
  if (got == wanted) return true;
  return of && look_up(*of, row, got) && look_up(*of, row, wanted) && got == wanted;
}

}  // namespace

SetDifference compare_sets(const Problem& problem, const ImageLayout& layout, std::span<const std::byte> before,
                           const Output& output) {
  const auto of = selected(problem, layout, before, output);
  SetDifference result;
  const std::int64_t length = output.indexer().row_length();
  for (std::int64_t row = 0; row < output.indexer().rows(); ++row) {
    std::vector<double> got, wanted;
    std::int64_t first_difference = -1;
    for (std::int64_t i = row * length; i < (row + 1) * length; ++i) {
      if (!output.valid(i)) continue;
      const Element e = output.element(i);
      got.push_back(e.got);
      wanted.push_back(e.expected);
      if (first_difference < 0 && output.difference(i, e) != 0) first_difference = i;
    }
    ++result.rows;
    if (first_difference < 0 || same_row(output, of, row, std::move(got), std::move(wanted))) continue;
    ++result.wrong_rows;
    if (result.first_wrong < 0) result.first_wrong = first_difference;
  }
  return result;
}

}  // namespace harness::judge
