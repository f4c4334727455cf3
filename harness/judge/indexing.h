#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/core/contract.h"

namespace harness::judge {

/// From an element's place in row-major order of the shape to its place in storage, both counted in elements.
class Indexer {
 public:
  explicit Indexer(const Argument& argument);

  std::int64_t count() const { return count_; }
  std::int64_t row_length() const { return shape_.back(); }
  std::int64_t rows() const { return row_length() == 0 ? 0 : count_ / row_length(); }
  std::int64_t row_offset(std::int64_t row) const;  // storage place of the row's first element
  std::int64_t column_stride() const { return strides_.back(); }
  std::int64_t offset(std::int64_t logical) const {
    return row_offset(logical / row_length()) + (logical % row_length()) * column_stride();
  }
  std::vector<std::int64_t> index(std::int64_t logical) const;
  bool dense() const { return !overlapping_ && span_ == count_; }  // no padding inside
  bool overlapping() const { return overlapping_; }                // two elements share storage

  /// Calls f(logical, storage, count) for the parts of rows that make up [begin, end), in order. The elements of a part
  /// are column_stride() apart.
  template <typename F>
  void for_row_parts(std::int64_t begin, std::int64_t end, F&& f) const {
    while (begin < end) {
      const std::int64_t column = begin % row_length();
      const std::int64_t stop = std::min(end, begin - column + row_length());
      f(begin, row_offset(begin / row_length()) + column * column_stride(), stop - begin);
      begin = stop;
    }
  }

  /// Calls f(logical, storage) for [begin, end) in order.
  template <typename F>
  void for_elements(std::int64_t begin, std::int64_t end, F&& f) const {
    for_row_parts(begin, end, [&](std::int64_t logical, std::int64_t storage, std::int64_t count) {
      for (const std::int64_t stop = logical + count; logical < stop; ++logical, storage += column_stride())
        f(logical, storage);
    });
  }

 private:
  std::vector<std::int64_t> shape_, strides_;  // never empty: a scalar has shape {1}
  std::size_t rank_ = 0;                       // of the argument
  std::int64_t count_ = 0, span_ = 0;
  bool overlapping_ = false;
};

/// "[3, 0, 7]"
std::string index_text(const std::vector<std::int64_t>& index);

/// As many threads as the machine has, fewer for little work.
int threads_for(std::int64_t elements);

/// Calls f(begin, end) over pieces of [0, count) on up to `threads` threads (0: threads_for(count)) and waits. f must
/// not depend on how the range is cut. The first exception is rethrown.
void parallel_ranges(std::int64_t count, int threads, const std::function<void(std::int64_t, std::int64_t)>& f);

}  // namespace harness::judge
