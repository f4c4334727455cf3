#include "harness/judge/indexing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

namespace harness::judge {
namespace {

bool overlaps(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides) {
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t d) { return strides[d]; });
  std::int64_t reached = 0;  // last element that the inner dimensions reach
  for (const std::size_t d : order) {
    if (shape[d] <= 1) continue;
    if (strides[d] <= reached) return true;
    reached += (shape[d] - 1) * strides[d];
  }
  return false;
}

}  // namespace

Indexer::Indexer(const Argument& argument)
    : shape_(argument.shape),
      strides_(argument.strides),
      rank_(argument.shape.size()),
      count_(count_elements(argument)),
      span_(span_elements(argument)) {
  if (strides_.size() != shape_.size()) {  // contiguous
    strides_.assign(shape_.size(), 1);
    for (std::size_t d = shape_.size(); d-- > 1;) strides_[d - 1] = strides_[d] * shape_[d];
  }
  if (shape_.empty()) {
    shape_ = {1};
    strides_ = {1};
  }
  overlapping_ = count_ > 0 && overlaps(shape_, strides_);
}

std::int64_t Indexer::row_offset(std::int64_t row) const {
  std::int64_t offset = 0;
  for (std::size_t d = shape_.size() - 1; d-- > 0;) {
    offset += (row % shape_[d]) * strides_[d];
    row /= shape_[d];
  }
  return offset;
}

std::vector<std::int64_t> Indexer::index(std::int64_t logical) const {
  std::vector<std::int64_t> result(rank_);
  for (std::size_t d = rank_; d-- > 0;) {
    result[d] = logical % shape_[d];
    logical /= shape_[d];
  }
  return result;
}

std::string index_text(const std::vector<std::int64_t>& index) {
  return fmt::format("[{}]", fmt::join(index, ", "));
}

int threads_for(std::int64_t elements) {
  constexpr std::int64_t kWorthAThread = 1 << 15;
  const std::int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  return static_cast<int>(std::clamp<std::int64_t>(elements / kWorthAThread, 1, cores));
}

void parallel_ranges(std::int64_t count, int threads, const std::function<void(std::int64_t, std::int64_t)>& f) {
  const std::int64_t pieces = threads > 0 ? threads : threads_for(count);
  if (pieces <= 1) return f(0, count);
  std::exception_ptr failure;
  std::mutex mutex;
  std::vector<std::jthread> workers;
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    workers.emplace_back([&, piece] {
      try {
        f(count * piece / pieces, count * (piece + 1) / pieces);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    });
  }
  workers.clear();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace harness::judge
