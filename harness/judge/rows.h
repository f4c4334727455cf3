#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/core/contract.h"
#include "harness/core/image.h"

// The rows of a problem over one of its sizes: what belongs together in inputs and outputs where a kernel works on many
// independent things at once, such as the sequences of a batch.
namespace harness::judge {

/// How the arguments of a problem divide into rows.
struct Rows {
  std::map<std::string, std::size_t> dimension;  // of each tensor that has rows: which of its dimensions
  std::vector<std::string> whole;                // inputs that all rows share
  std::vector<std::string> outputs;              // those with rows whose bits can be compared
  std::string why;                               // not empty: there is nothing to compare, in words
};

/// By how shapes change from point to point, where `size` alone changes. An extent of k times the size holds k elements
/// a row, one row behind the other.
Rows rows_over(const std::string& size, const std::vector<const Problem*>& points);

/// The elements of row `row` of `count` rows, dense and in row-major order; and back.
std::vector<std::byte> row_of(std::span<const std::byte> image, const ImageBuffer& buffer, const Argument& argument,
                              std::size_t dimension, std::int64_t count, std::int64_t row);
void put_row(std::span<std::byte> image, const ImageBuffer& buffer, const Argument& argument, std::size_t dimension,
             std::int64_t count, std::int64_t row, std::span<const std::byte> elements);

/// Of the elements of two rows: how many have other bits, and how far apart the rows are, as a relative L2 distance;
/// infinite where one holds a number that is not finite and the other does not.
struct RowDifference {
  std::int64_t elements = 0, differ = 0;
  double distance = 0;
};
RowDifference difference_of(Dtype dtype, std::span<const std::byte> a, std::span<const std::byte> b);

}  // namespace harness::judge
